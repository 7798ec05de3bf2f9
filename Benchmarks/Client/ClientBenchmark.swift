import Foundation

// Benchmarks of the client, with a program that uses the library as the app.
//
// - A first start is a whole process: metadata, download, hash, inflate, hash, checks, swap. A second pair compares it with
//   one that also proves the rows, as `pull` does.
// - The baseline is a careful script for the same file from the same front: curl, gzip -d, sha256sum twice.
// - The alternative is a common import: the same rows in local pages of JSON, JSONDecoder, prepared upserts into
//   the same tables and index, one transaction.
// - The peak is the process's highest resident size. Ours and the baseline alternate; ratios are medians of pairs.

struct ClientBenchmark {
  private let options: ClientOptions

  init(_ options: ClientOptions) { self.options = options }

  func run() throws { try inFolder(run) }

  private func run(_ folder: String) throws {
    let origin = try TransitOrigin(folder, rows: options.rows, options.layout)
    let scene = try ClientScene(origin, in: folder)
    let report = ClientReport(options, snapshotBytes: scene.snapshotBytes)
    let start = { try scene.firstStart(provingRows: false) }
    let starts = try measurePairs(start, scene.baseline)
    report.add(starts)
    report.add(proofs: try measurePairs({ try scene.firstStart(provingRows: true) }, start))
    if options.measuresImport { report.add(starts, imports: try measureImport(origin, folder)) }
    report.add(try measureIdle(scene))
  }

  private func measurePairs(_ ours: () throws -> ToolRun, _ other: () throws -> ToolRun) throws -> Pairs {
    var pairs = Pairs()
    // The first pair warms the caches of front and system.
    for run in 0...options.runs {
      let (baseline, own) = (try other(), try ours())
      if run > 0 { pairs.add(ours: own, baseline) }
    }
    return pairs
  }

  private func measureImport(_ origin: TransitOrigin, _ folder: String) throws -> [ToolRun] {
    let pages = JSONPages(folder)
    try pages.export(origin)
    return try (0..<min(options.runs, ClientOptions.importRuns)).map { _ in try pages.measure() }
  }

  private func measureIdle(_ scene: ClientScene) throws -> IdlePoll {
    _ = try scene.pull()
    let before = try scene.served()
    _ = try scene.pull()
    let after = try scene.served()
    return IdlePoll(requests: after.requests - before.requests, bytes: after.bytes - before.bytes)
  }
}

struct IdlePoll {
  let requests: Int
  let bytes: Int
}

struct ClientOptions {
  private(set) var isJSON = false
  private(set) var rows = 3_200_000
  private(set) var runs = 5
  private(set) var layout = TransitOrigin.Layout.withoutRowid
  private(set) var measuresImport = true

  /// Imports of JSON take minutes and vary little.
  static let importRuns = 2

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--rows": rows = max(1, rest.popFirst().flatMap(Int.init) ?? rows)
      case "--runs": runs = max(1, rest.popFirst().flatMap(Int.init) ?? runs)
      case "--layout": layout = rest.popFirst().flatMap(TransitOrigin.Layout.init) ?? layout
      case "--without-import": measuresImport = false
      default: throw BenchmarkError.usage("unknown option \(argument)")
      }
    }
  }
}
