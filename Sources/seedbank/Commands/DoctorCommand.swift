import SeedClient
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem

extension Command {
  static let doctor = Command(
    name: "doctor", abstract: "Check a client's store or SQLite file, without a network.",
    discussion: """
      Recomputes the digest from all rows and compares it with the digests in the store and in signed metadata. Also checks \
      the file's structure, references, search tables and signatures. Search tables are checked on a temporary copy. Nothing is written, and the store may be in use.

      Instead of a store, you can name the SQLite file of a client that does not use the library. Its rows, checksums, digest, \
      structure and indexes are checked, but no signatures.

      Exit codes: 0 sound, 65 errors were found, 74 the store is missing, has no data yet, or cannot be read. \
      Each finding has a remedy.
      """,
    arguments: [.argument("store", help: "The store's directory, or a client's SQLite file.")],
    options: [
      .value("root", "file", help: "The publication's root.json. Without it, no signatures are verified."),
      .json,
    ],
    examples: [
      ("seedbank doctor ./seeds --root root.json", "The current data in ./seeds, and its signatures."),
      ("seedbank doctor current.sqlite", "The file of a client without the library."),
    ]
  ) { arguments, context in
    let path = try arguments.requiredPath("store")
    let root = try arguments.rootFile()
    let isSeed = Folder.exists(path) && !Folder.leadsToFolder(path)
    guard root == nil || !isSeed else {
      throw Refusal(.usage, "\(path.printable) is a single file without signatures: omit --root.")
    }
    let report = try await blocking {
      try isSeed ? StoreReport(ofSeed: path) : StoreExamination(path, root: root).run()
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
    return (lines + [what, isSound ? "sound" : "not sound"].compactMap(\.self)).joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    ["sound": .bool(isSound), "data": data?.json ?? .null, "findings": .array(findings.map(\.json))]
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
