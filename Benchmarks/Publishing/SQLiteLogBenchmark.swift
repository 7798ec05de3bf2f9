import Foundation

/// The time that a log in a SQLite file saves the publisher, and its cost for writers.
struct SQLiteLogBenchmark {
  let origin: TransitOrigin
  /// The same with a tenth of the rows.
  let small: TransitOrigin
  let folder: String
  let runs: Int
  let report: PublishReport

  func run() throws {
    let plain = try origin.copy("\(folder)/plain.sqlite")
    defer { for file in [plain, small] { try? FileManager.default.removeItem(atPath: file.path) } }
    let (comparing, following, few) = (
      scene("comparing", origin), scene("following", origin), scene("few", small)
    )
    for scene in [comparing, following, few] { _ = try scene.build() }
    for scene in [following, few] { try scene.setUpLog() }
    // The first step with a log compares all rows once.
    for scene in [following, few] { for _ in 0..<2 { _ = try scene.step() } }
    try publish(comparing, following, few)
    try report.addWriters(
      runs: runs, one: (origin.updateOneByOne, plain.updateOneByOne),
      many: (origin.updateMany, plain.updateMany),
      bar: Bars.update)
    try following.removeLog()
  }

  private func scene(_ name: String, _ origin: TransitOrigin) -> PublishScene {
    PublishScene(folder: "\(folder)/\(name)", origin: origin)
  }

  private func publish(_ comparing: PublishScene, _ following: PublishScene, _ few: PublishScene) throws {
    var (steps, sizes) = (Pairs(), Pairs())
    var rests: [ToolRun] = []
    for run in 1...runs {
      for file in [origin, small] { try file.change(run) }
      let step = try following.step()
      steps.add(ours: step, try comparing.step())
      sizes.add(ours: step, try few.step())
      try origin.touch(run)
      rests.append(try following.step())
    }
    report.add("step by the origin's log, 1,000 rows changed, beside comparing", steps, bar: Bars.step)
    report.add("the same, beside a table of a tenth of the rows", sizes, bar: Bars.size)
    report.addRest(
      "a log without anything new", rests, start: try (0..<runs).map { _ in try following.start() },
      bar: Bars.quietSeconds)
    report.addPeak("step by the origin's log", steps.ours, bar: Bars.peakBytes)
    report.addPeak("comparison", steps.baseline, bar: Bars.peakBytes)
  }
}

private enum Bars {
  static let step = 1.0 / 15
  static let size = 1.3
  static let quietSeconds = 0.02
  static let update = 1.5
  static let peakBytes = 160 * 1024 * 1024
}
