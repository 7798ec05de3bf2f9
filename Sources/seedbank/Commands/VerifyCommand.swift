import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let verify = Command(
    name: "verify", abstract: "Check the whole publication.",
    discussion: """
      Checks all metadata and its expiry, the length and hash of every object, the rows of every snapshot, and every \
      delta by applying it. Publishing can continue. Without --dataset, the result is recorded for 'seedbank status' and /metrics; \
      nothing else is written.

      Exit codes: 0 sound, 65 errors were found. Each finding names the file and a remedy.
      """,
    options: [
      .config, .value("dataset", "name", help: "Only this dataset's objects (default: all)."), .json,
    ],
    examples: [
      ("seedbank verify", "Check the whole publication."),
      ("seedbank verify --dataset transit --json", "Check one dataset, for a script."),
    ]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let chosen = try configuration.datasets(chosenBy: arguments).first
    let publication = PublicationDirectory(configuration.publication)
    let (console, scratch) = (context.console, try ScratchFolder())
    defer { scratch.remove() }
    let report = try await blocking {
      try PublicationVerifier(
        publication, scratch: scratch.path, anchor: configuration.rootPath, now: .now(),
        dataset: arguments.flag("dataset") ? chosen?.name : nil,
        progress: { console.progress("Verifying \($0)…") }
      ).run()
    }
    if configuration.hasFacts, !arguments.flag("dataset") {
      let facts = publication.facts
      // Ignores failures, because users with only read access can verify too.
      try? facts.write(VerificationFacts(isSound: report.isSound, at: .now(), after: facts.read()))
    }
    try console.report(report.json, report.text)
    try report.findings.checkSound()
  }
}

extension VerificationReport {
  fileprivate var text: String {
    let lines = findings.worstFirst.map(\.line)
    let facts = [
      deltasByHash == 0
        ? nil
        : "\(deltasByHash.counted("delta")) checked by hash only: no published snapshot leads to the versions that they update",
      "\(metadataFiles.counted("metadata file")), \(objects.counted("object")) (\(ByteCount(bytes: bytes))),"
        + " \(snapshots.counted("snapshot")), \(deltas.counted("delta")) verified",
      isSound ? "sound" : "not sound",
    ]
    return (lines + facts.compactMap(\.self)).joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    [
      "sound": .bool(isSound), "findings": .array(findings.map(\.json)),
      "metadataFiles": JSONValue(metadataFiles), "objects": JSONValue(objects), "bytes": JSONValue(bytes),
      "snapshots": JSONValue(snapshots), "deltas": JSONValue(deltas), "deltasByHash": JSONValue(deltasByHash),
    ]
  }
}
