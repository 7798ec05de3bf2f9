/// The time that a log saves the publisher, and its cost for writers.
struct PostgresLogBenchmark {
  let server: PostgresServer
  let origin: TransitOrigin
  /// The same with a tenth of the rows.
  let small: TransitOrigin
  let folder: String
  let runs: Int
  let report: PublishReport

  func run() throws {
    let (comparing, following, few) = (
      scene("comparing", origin), scene("following", origin), scene("few", small)
    )
    for scene in [comparing, following, few] {
      try scene.fill()
      try scene.setUp()
    }
    for scene in [following, few] { try scene.setUpLog() }
    // The first step with a log compares all rows once.
    for scene in [comparing, following, few] { for _ in 0..<2 { _ = try scene.step() } }
    try publish(comparing, following, few)
    try report.addWriters(
      runs: runs, one: (following.updateOneByOne, comparing.updateOneByOne),
      many: (following.updateMany, comparing.updateMany),
      bar: Bars.update)
  }

  private func scene(_ name: String, _ origin: TransitOrigin) -> PostgresScene {
    PostgresScene(folder: folder, server: server, origin: origin, name: name)
  }

  private func publish(_ comparing: PostgresScene, _ following: PostgresScene, _ few: PostgresScene) throws {
    var (steps, counts, sizes, rests, unwritten) = (Pairs(), Pairs(), Pairs(), Pairs(), Pairs())
    for run in 1...runs {
      for scene in [comparing, following, few] { try scene.change(run) }
      let step = try following.step()
      steps.add(ours: step, try comparing.step())
      counts.add(ours: step, try following.countAndRead())
      sizes.add(ours: step, try few.step())
      try following.touch()
      rests.add(ours: try following.step(), try following.describe())
      unwritten.add(ours: try following.step(), try following.describe())
    }
    report.add("step by PostgreSQL's log, 1,000 rows changed, beside comparing", steps, bar: Bars.step)
    report.add("the same, beside counting all rows and reading the changed ones", counts, bar: Bars.count)
    report.add("the same, beside a table of a tenth of the rows", sizes, bar: Bars.size)
    report.add(
      "a log of PostgreSQL without anything new, beside psql's \\d of all tables", rests, bar: Bars.rest)
    report.add("PostgreSQL without any write, beside the same", unwritten, bar: Bars.quiet)
    report.addPeak("step by PostgreSQL's log", steps.ours, bar: Bars.peakBytes)
  }
}

private enum Bars {
  static let step = 1.0 / 15
  static let count = 1.2
  static let size = 1.3
  static let rest = 1.5
  static let quiet = 1.0
  static let update = 2.5
  static let peakBytes = 160 * 1024 * 1024
}
