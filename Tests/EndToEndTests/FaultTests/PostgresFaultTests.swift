import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

/// The process dies, or the disk fails or is full, at any file operation of a step that reads PostgreSQL.
@Suite(.serialized) struct PostgresFaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  static let sample = 4
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]

  private let folder: TemporaryFolder
  private let injector: FaultInjector
  private let database: PostgresDatabase
  private let series: SeedSeries

  private var publication: PublicationDirectory { PublicationDirectory(folder("seedbank/publication")) }
  private var probe: PublicationProbe { PublicationProbe(publication: publication) }

  init() throws {
    (folder, injector) = (try TemporaryFolder(inMemory: true), try FaultInjector())
    series = try SeedSeries("shops", major: 1)
    database = try PostgresCluster.shared.get().database(
      """
      CREATE TABLE shop(id int PRIMARY KEY, name text, rank float8);
      INSERT INTO shop SELECT i, 'shop ' || i, 0.5 FROM generate_series(1, 50) i
      """)
    try folder.succeed("init", database.url(), "--dataset", "shops")
    try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
  }

  @Test(arguments: ["log", "comparison"])
  func `a step that fails at any file operation leaves the old or the new version, and misses no row`(
    _ way: String
  ) throws {
    if way == "log" {
      try folder.succeed("origin", "log", "setup", "--yes")
      try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
    }
    try database.run(
      "UPDATE shop SET rank = 7 WHERE id = 7; DELETE FROM shop WHERE id = 40; INSERT INTO shop VALUES (60, 'new', 1)"
    )
    try Tool.run(["cp", "-a", folder("seedbank"), folder("before")])
    let old = try #require(try probe.head(series))
    let count = try injector.count(Self.regenerate, in: folder.path)
    let new = try #require(try probe.head(series))
    #expect(new.version == old.version + 1 && new.rows != old.rows && count > 30)
    #expect(try foundBy() == way)
    print("a step from PostgreSQL by \(way): \(count) operations")
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample, turn: way == "log" ? 0 : 1) {
      try folder.replace("seedbank", by: "before")
      let outcome = try injector.run(Self.regenerate, fault, at: point, in: folder.path)
      let what = "\(fault) at \(point) of \(count) by \(way), status \(outcome.status): \(outcome.errors)"
      let found = try probe.head(series)
      #expect(found?.rows == (found?.version == old.version ? old.rows : new.rows), "\(what)")
      try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
      #expect(try probe.head(series)?.rows == new.rows, "\(what): the next step does not converge")
      if way == "log" { try expectNothingMissed(what) }
    }
  }

  private func foundBy() throws -> String? {
    let history = try folder.seedbank("status", "--history", "--json", "--config", "seedbank/seedbank.json")
    return try history.json()["builds"]?.elements?.first?["foundBy"]?.string
  }

  /// Expects that a comparison of all rows finds no further change, whatever state the cursor's file is in.
  private func expectNothingMissed(_ what: String) throws {
    try OriginLogScene.rewindAudit(folder("seedbank/state/shops-1.cursor"))
    let audit = try SeedbankBinary.run(Self.regenerate + ["--json"], in: folder.path)
    #expect(audit.status == 0 && audit.errors.isEmpty, "\(what): \(audit.errors)")
    #expect(try audit.json()["series"]?.elements?.first?["outcome"] == "unchanged", "\(what)")
  }
}
