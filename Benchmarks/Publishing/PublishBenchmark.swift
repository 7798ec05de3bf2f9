import Foundation

// Benchmarks of the publisher, with the real binary.
//
// - The origin is a timetable; its tables exist WITHOUT ROWID and with rowids, and have one secondary index.
// - Each row has a baseline in the same run: the same work with `sqlite3`, `pigz` and `sha256sum`.
// - Ours and the baseline alternate; ratios are medians over the pairs.
// - Processor time is reported beside wall time. It is steadier on a shared machine, but does not show the use of
//   two cores.

struct PublishBenchmark {
  private let options: PublishOptions

  init(_ options: PublishOptions) { self.options = options }

  func run() throws {
    if options.wants(.blob) { try inFolder { try BlobRun(folder: $0, isJSON: options.isJSON).run() } }
    if options.wantsOnly(.idle) { try inFolder { try IdleRun($0, options).run() } }
    if options.wantsOnly(.long) { try inFolder { try LongRun($0, options).run() } }
    guard options.wantsTimetable else { return }
    for layout in TransitOrigin.Layout.allCases where options.layout == nil || options.layout == layout {
      for rows in options.rows { try inFolder { folder in try run(rows, layout, folder) } }
    }
  }

  private func run(_ rows: Int, _ layout: TransitOrigin.Layout, _ folder: String) throws {
    let origin = try TransitOrigin(folder, rows: rows, layout)
    let report = PublishReport(isJSON: options.isJSON, rows: rows, layout: layout.rawValue)
    if options.wants(.log) { try followLog(origin, layout, rows, folder, report) }
    if options.wants(.feed) { try loadFeed(origin, folder, report) }
    if options.wants(.postgres), layout == .rowid {
      try PostgresBenchmark(
        origin: origin, folder: folder, rows: rows, runs: options.runs, report: report
      ).run()
    }
    if options.wants(.minor) {
      try MinorBenchmark(origin: origin, folder: folder, runs: options.runs, report: report).run()
    }
    if options.wants(.merge) { try MergeRun(origin: origin, folder: folder, report: report).run() }
    guard options.wantsSharedDeployment else { return }
    let scene = PublishScene(folder: folder, origin: origin)
    var (setups, builds) = (Pairs(), Pairs())
    var steps = Pairs()
    var snapshots = Pairs()
    var rests: [ToolRun] = []
    for run in 1...options.runs {
      if options.wants(.setup) { setups.add(ours: try scene.setUp(), try scene.readBaseline()) }
      if options.wantsOnly(.setup) { continue }
      if run == 1 || options.wants(.build) {
        let baseline = options.wants(.build) ? try scene.buildBaseline() : ToolRun()
        builds.add(ours: try scene.build(), baseline)
      }
      guard options.wants(.step) || options.wants(.snapshot) else { continue }
      try scene.change(run)
      let baseline = try scene.compareBaseline()
      steps.add(ours: try scene.step(), baseline)
      let rest = try scene.step()
      rests.append(rest)
      guard options.wants(.snapshot) else { continue }
      let pipeline = try scene.snapshotBaseline()
      snapshots.add(ours: try scene.snapshot().minus(rest), pipeline)
    }
    if options.wants(.setup) { report.add("init", setups, bar: Bars.setup) }
    if options.wants(.step) {
      report.add("publish step, 1,000 rows changed", steps, bar: Bars.step)
      report.addPeak("publish step", steps.ours, bar: Bars.peakBytes)
      report.addRest(
        "unchanged origin", rests, start: try (0..<options.runs).map { _ in try scene.start() },
        bar: Bars.restSeconds)
    }
    if options.wants(.snapshot) { report.add("snapshot, gzip", snapshots, bar: Bars.snapshot) }
    if options.wants(.build) {
      report.add("first build with its snapshot", builds, bar: Bars.build)
      report.addPeak("first build", builds.ours, bar: Bars.peakBytes)
    }
  }
}

extension PublishBenchmark {
  private func loadFeed(_ origin: TransitOrigin, _ folder: String, _ report: PublishReport) throws {
    let scene = FeedScene(folder: folder, origin: origin)
    try scene.setUp()
    var loads = Pairs()
    for _ in 1...options.runs { loads.add(ours: try scene.load(), try scene.importBaseline()) }
    report.add("a feed of CSV loaded, beside .import", loads, bar: Bars.feed)
    report.addPeak("a feed of CSV loaded", loads.ours, bar: Bars.peakBytes)
  }

  private func followLog(
    _ origin: TransitOrigin, _ layout: TransitOrigin.Layout, _ rows: Int, _ folder: String,
    _ report: PublishReport
  ) throws {
    let small = try TransitOrigin(folder, name: "small", rows: rows / 10, layout)
    try SQLiteLogBenchmark(
      origin: origin, small: small, folder: folder, runs: options.runs, report: report
    ).run()
  }
}

private enum Bars {
  static let feed = 2.0
  static let step = 0.6
  static let restSeconds = 0.05
  static let snapshot = 1.3
  static let build = 1.8
  static let setup = 1.5
  static let peakBytes = 160 * 1024 * 1024
}

struct PublishOptions {
  /// Benchmarks that can be selected alone.
  enum Row: String {
    case step, snapshot, build, setup, log, feed, postgres, minor, merge, blob
    /// Slow benchmarks, which run only if selected.
    case idle, long

    var needsTimetables: Bool { ![.blob, .idle, .long].contains(self) }
    /// These rows use the same deployment.
    var sharesDeployment: Bool { [.step, .snapshot, .build, .setup].contains(self) }
  }

  private(set) var isJSON = false
  private var chosenRows: Int?
  private(set) var runs = 5
  private(set) var minutes = 120
  private(set) var layout: TransitOrigin.Layout?
  private var only: Row?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--rows": chosenRows = try Self.number(rest.popFirst(), argument)
      case "--runs": runs = try Self.number(rest.popFirst(), argument)
      case "--minutes": minutes = try Self.number(rest.popFirst(), argument)
      case "--only": only = try Self.word(rest.popFirst(), argument)
      case "--layout": layout = try Self.word(rest.popFirst(), argument)
      default: throw BenchmarkError.usage("unknown option \(argument)")
      }
    }
  }

  /// Row counts of the origins.
  var rows: [Int] { chosenRows.map { [$0] } ?? (only == .postgres ? [320_000] : [3_200_000, 6_400_000]) }

  /// Row count for benchmarks with a single origin.
  func rows(unlessChosen usual: Int) -> Int { chosenRows ?? usual }

  func wants(_ row: Row) -> Bool { only == nil || only == row }

  var wantsTimetable: Bool { only?.needsTimetables ?? true }

  var wantsSharedDeployment: Bool { only?.sharesDeployment ?? true }

  func wantsOnly(_ row: Row) -> Bool { only == row }

  private static func number(_ text: String?, _ option: String) throws -> Int {
    guard let number = text.flatMap(Int.init), number > 0 else {
      throw BenchmarkError.usage("\(option) takes a number")
    }
    return number
  }

  private static func word<Word: RawRepresentable<String>>(_ text: String?, _ option: String) throws -> Word {
    guard let word = text.flatMap(Word.init) else {
      throw BenchmarkError.usage("\(option) does not take \(text ?? "nothing")")
    }
    return word
  }
}
