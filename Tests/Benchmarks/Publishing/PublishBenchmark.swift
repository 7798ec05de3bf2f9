import Foundation

// Benchmarks of the publisher: rows 6 to 8 of the numbers to hold, with the real binary.
//
// - The origin is a timetable; its tables are made WITHOUT ROWID and with rowids, and have one secondary index.
// - Each row of the table has a baseline in the same run: what `sqlite3`, `pigz` and `sha256sum` need for the same.
// - Ours and the baseline take turns; ratios are medians over the pairs.
// - Processor time is told beside wall time: on a shared machine it is the steadier one, but it cannot show that two
//   cores are used.

/// Runs the publisher and its baselines, and prints what came out.
struct PublishBenchmark {
  private let options: PublishOptions

  init(_ options: PublishOptions) { self.options = options }

  func run() throws {
    for layout in TransitOrigin.Layout.allCases where options.layout == nil || options.layout == layout {
      for rows in options.rows { try inFolder { folder in try run(rows, layout, folder) } }
    }
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "seedbank-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  private func run(_ rows: Int, _ layout: TransitOrigin.Layout, _ folder: String) throws {
    let origin = try TransitOrigin(folder, rows: rows, layout)
    let report = PublishReport(isJSON: options.isJSON, rows: rows, layout: layout.rawValue)
    if options.wants(.log) { try compareWithLog(origin, folder, report) }
    if options.wants(.feed) { try loadFeed(origin, folder, report) }
    guard !options.wantsOnly(.log), !options.wantsOnly(.feed) else { return }
    let scene = PublishScene(folder: folder, origin: origin)
    var (setups, builds) = (Pairs(), Pairs())
    var steps = Pairs()
    var snapshots = Pairs()
    var rests: [ToolRun] = []
    for run in 1...options.runs {
      if options.wants(.setup) { setups.add(ours: try scene.setUp(), try scene.readBaseline()) }
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
      report.addRest(
        "unchanged origin", rests, start: try (0..<options.runs).map { _ in try scene.start() },
        bar: Bars.restSeconds)
    }
    if options.wants(.snapshot) { report.add("snapshot, gzip", snapshots, bar: Bars.snapshot) }
    if options.wants(.build) {
      report.add("first build with its snapshot", builds, bar: Bars.build)
      report.addPeak(builds.ours, bar: Bars.peakBytes)
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
    report.addPeak(loads.ours, bar: Bars.feedPeakBytes)
  }

  /// Two deployments of one origin: one follows its log, the other compares all rows.
  private func compareWithLog(_ origin: TransitOrigin, _ folder: String, _ report: PublishReport) throws {
    let (comparing, following) = (
      PublishScene(folder: "\(folder)/comparing", origin: origin),
      PublishScene(folder: "\(folder)/following", origin: origin)
    )
    _ = try comparing.build()
    try following.setUp()
    try following.setUpLog()
    // The first step with a log compares all rows once.
    for _ in 0..<2 { _ = try following.step() }
    var steps = Pairs()
    var rests: [ToolRun] = []
    for run in 1...options.runs {
      try origin.change(run)
      steps.add(ours: try following.step(), try comparing.step())
      try origin.touch(run)
      rests.append(try following.step())
    }
    try following.removeLog()
    report.add("step by the origin's log, 1,000 rows changed, beside comparing", steps, bar: Bars.log)
    report.addRest(
      "a log without anything new", rests, start: try (0..<options.runs).map { _ in try following.start() },
      bar: Bars.quietLogSeconds)
  }
}

/// The numbers to hold.
private enum Bars {
  static let log = 1.0 / 15
  static let feed = 2.0
  static let feedPeakBytes = 160 * 1024 * 1024
  static let quietLogSeconds = 0.02
  static let step = 0.6
  static let restSeconds = 0.05
  static let snapshot = 1.3
  static let build = 1.8
  static let setup = 1.5
  static let peakBytes = 256 * 1024 * 1024
}

/// What the command line asks for.
struct PublishOptions {
  /// What can be asked for alone.
  enum Row: String {
    case step, snapshot, build, setup, log, feed
  }

  private(set) var isJSON = false
  private(set) var rows = [3_200_000, 6_400_000]
  private(set) var runs = 5
  private(set) var layout: TransitOrigin.Layout?
  private var only: Row?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--rows": rows = [try Self.number(rest.popFirst(), argument)]
      case "--runs": runs = try Self.number(rest.popFirst(), argument)
      case "--only": only = try Self.word(rest.popFirst(), argument)
      case "--layout": layout = try Self.word(rest.popFirst(), argument)
      default: throw BenchmarkError.usage("unknown option \(argument)")
      }
    }
  }

  func wants(_ row: Row) -> Bool { only == nil || only == row }

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
