// Compares a PostgreSQL origin with PostgreSQL's own client and with a SQLite file of the same rows.

/// Benchmarks of PostgreSQL origins. Processor time includes the server's.
struct PostgresBenchmark {
  let origin: TransitOrigin
  let folder: String
  let rows: Int
  let runs: Int
  let report: PublishReport

  func run() throws {
    let server = try PostgresServer("\(folder)/pg")
    defer { server.stop() }
    let scene = PostgresScene(folder: folder, server: server, origin: origin, name: "bench")
    try scene.fill()
    try build(scene)
    try compare(scene)
    let small = try TransitOrigin(folder, name: "small", rows: rows / 10, .rowid)
    try PostgresLogBenchmark(
      server: server, origin: origin, small: small, folder: folder, runs: runs, report: report
    ).run()
  }

  private func build(_ scene: PostgresScene) throws {
    var (plain, compressed) = (Pairs(), Pairs())
    for _ in 1...runs {
      let ours = try scene.build()
      let baseline = try scene.importBaseline()
      plain.add(ours: ours, baseline)
      compressed.add(ours: ours, baseline.plus(try scene.compressBaseline()))
    }
    report.add("first build of PostgreSQL, beside COPY, .import, VACUUM", plain, bar: Bars.build)
    report.add("the same, beside pigz and sha256sum as well", compressed, bar: Bars.build)
    report.addPeak("first build of PostgreSQL", plain.ours, bar: Bars.peakBytes)
  }

  private func compare(_ scene: PostgresScene) throws {
    let file = PublishScene(folder: "\(folder)/file", origin: origin)
    _ = try file.build()
    var steps = Pairs()
    for run in 1...runs {
      try origin.change(run)
      try scene.change(run)
      let ours = try scene.step()
      steps.add(ours: ours, try scene.copyBaseline().plus(try file.step()))
    }
    report.add("comparison of PostgreSQL, beside COPY and that of a file", steps, bar: Bars.comparison)
    report.addPeak("comparison of PostgreSQL", steps.ours, bar: Bars.peakBytes)
  }
}

private enum Bars {
  static let build = 1.3
  static let comparison = 1.5
  static let peakBytes = 160 * 1024 * 1024
}
