import SeedClient
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem

extension Command {
  static let doctor = Command(
    name: "doctor", abstract: "Check a client's store, or one seed, without a network.",
    discussion: """
      Recomputes the digest from all rows of the current data, and checks the file's structure, references, indexes and \
      search tables; these on a temporary copy. Nothing is written, and the store may be in use. Signatures are \
      checked by each update: 'seedbank pull' compares the digest with the signed one.

      Instead of a store, name the SQLite file of a client of another make.

      Exit codes: 0 sound, 65 an error was found, 74 there is no store, it has no data yet, or its disk fails. \
      Each finding has a remedy.
      """,
    arguments: [.argument("store", help: "The store's directory, or a seed.")],
    options: [.json],
    examples: [
      ("seedbank doctor ./seeds", "The current data in ./seeds."),
      ("seedbank doctor current.sqlite", "The file of a client of another make."),
    ]
  ) { arguments, context in
    let path = try arguments.requiredPath("store", from: context.currentDirectory)
    let isSeed = Folder.exists(path) && !Folder.isFolder(path)
    let report = try await blocking {
      try isSeed ? StoreReport(ofSeed: path) : StoreReport(ofStore: path)
    }
    try context.console.report(report.json, report.text)
    try report.findings.checkSound()
  }
}

extension StoreReport {
  fileprivate var text: String {
    let lines = findings.worstFirst.map(\.line)
    let what = data.map {
      "\($0.meta.series): version \($0.meta.version), model \($0.meta.model), \($0.rows.counted("row")), \($0.file)"
    }
    let all = lines + [what, isSound ? "sound" : "not sound"].compactMap(\.self)
    return all.joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    [
      "sound": .bool(isSound), "data": data?.json ?? .null, "findings": .array(findings.map(\.json)),
    ]
  }
}

extension StoreReport.Data {
  fileprivate var json: JSONValue {
    [
      "dataset": .string(meta.series.dataset.text), "series": JSONValue(meta.series.major),
      "model": .string(meta.model.description), "epoch": .string(meta.epoch.text),
      "version": JSONValue(meta.version.number), "digest": .string(meta.digest.hex),
      "rows": JSONValue(rows), "path": .string(file),
    ]
  }
}
