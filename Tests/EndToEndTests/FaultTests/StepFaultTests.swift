import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// Publish steps with snapshots, merged deltas, a rising floor and removed files: the publisher dies, or the disk fails
/// or is full, at each file operation.
@Suite(.serialized) struct StepFaultTests {
  /// Operations tried for each fault and step; a deep run tries all of them.
  static let sample = 3
  /// The next step merges deltas.
  private static let firstVersion = 15
  private static let plain = ["regenerate", "--config", "seedbank/seedbank.json"]
  /// The second snapshot replaces the first one; unnamed files are removed at the next step.
  private static let steps = [plain, plain + ["--snapshot"], plain, plain + ["--snapshot"], plain]

  private static let template = FolderTemplate()
  private let folder: TemporaryFolder
  private let injector: FaultInjector
  private let series: SeedSeries

  private var publication: PublicationDirectory { PublicationDirectory(folder("seedbank/publication")) }
  private var probe: PublicationProbe { PublicationProbe(publication: publication) }

  init() throws {
    (folder, injector) = (try TemporaryFolder(inMemory: true), try FaultInjector())
    series = try SeedSeries("my", major: 1)
    try Self.template.fill(folder, make)
  }

  private func make() throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL);
      INSERT INTO shop SELECT value, 'shop ' || value, 0.5 FROM generate_series(1, 50);
      """)
    try folder.succeed("init", "my.sqlite")
    try folder.edit("seedbank/my/dataset.json") {
      $0.replacing(/"snapshots": \d+/, with: "\"snapshots\": 1")
    }
    try SeedbankBinary.succeed(Self.plain, in: folder.path)
    for version in 2...Self.firstVersion {
      try changeOrigin(version)
      try SeedbankBinary.succeed(Self.plain, in: folder.path)
    }
  }

  private func changeOrigin(_ version: Int) throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      "UPDATE shop SET rank = \(version) WHERE id = \(version); DELETE FROM shop WHERE id = \(60 - version)")
  }

  private func save() throws {
    try folder.replace("before", by: "seedbank")
  }

  @Test func `five publish steps that fail at any file operation leave the old or the new version`() throws {
    var version = Self.firstVersion
    for command in Self.steps {
      version += 1
      try changeOrigin(version)
      try folder.endGrace(in: "seedbank/state")
      try save()
      try failEverywhere(command, to: version, turn: version) { what in
        guard version == Self.firstVersion + 1 else { return }
        let newest = try SeedVersion(version)
        let objects = try publication.published().series[series]?.metadata.objects ?? []
        #expect(
          objects.contains { $0.kind == .delta(from: .first, to: newest) }, "\(what): nothing was merged")
      }
    }
    let metadata = try #require(try publication.published().series[series]?.metadata)
    #expect(metadata.state.floor.number == 19 && metadata.state.head.number == 20)
  }

  @Test func `a step that follows the origin's log and fails at any file operation misses no row`() throws {
    try folder.succeed("origin", "log", "setup", "--yes")
    try SeedbankBinary.succeed(Self.plain, in: folder.path)
    try changeOrigin(Self.firstVersion + 1)
    try save()
    try failEverywhere(Self.plain, to: Self.firstVersion + 1, turn: 0) { what in
      try OriginLogScene.rewindAudit(folder("seedbank/state/my-1.cursor"))
      let audit = try SeedbankBinary.run(Self.plain + ["--json"], in: folder.path)
      #expect(audit.status == 0 && audit.errors.isEmpty, "\(what): \(audit.errors)")
      #expect(try audit.json()["series"]?.elements?.first?["outcome"] == "unchanged", "\(what)")
    }
  }

  @Test func `a step that begins a minor and fails at any file operation leaves the old or the new version`()
    throws
  {
    // Its delta is large enough for xz.
    try Tool.sqlite(
      folder("my.sqlite"),
      "ALTER TABLE shop ADD COLUMN phone TEXT DEFAULT 'none'; UPDATE shop SET phone = hex(randomblob(2000)) WHERE id > 2"
    )
    try folder.succeed("model", "new")
    try folder.edit("seedbank/my/dataset.json") { $0.replacing(#"["gzip"]"#, with: #"["gzip", "xz"]"#) }
    try changeOrigin(Self.firstVersion + 1)
    try save()
    try failEverywhere(Self.plain, to: Self.firstVersion + 1, turn: 1) { what in
      let metadata = try #require(try publication.published().series[series]?.metadata)
      #expect(metadata.state.model == "1.1" && metadata.newestSnapshot?.model == "1.1", "\(what)")
      let deltas = metadata.objects.filter { $0.schemaBefore != nil }
      #expect(
        Set(deltas.map(\.encoding)) == [.gzip, .xz], "\(what): its delta is not listed in both encodings")
    }
  }

  @Test func `the next step replaces a lost snapshot if the first attempt failed at any file operation`()
    throws
  {
    let command = Self.plain + ["--snapshot"]
    try SeedbankBinary.succeed(command, in: folder.path)
    let rows = try probe.head(series)?.rows
    let lost = try #require(try publication.published().series[series]?.metadata.newestSnapshot)
    try Folder.remove(publication.file(lost))
    try save()
    let count = try injector.count(command, in: folder.path)
    #expect(count > 30)
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample, turn: 0) {
      try restore()
      let outcome = try injector.run(command, fault, at: point, in: folder.path)
      let what = "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
      try SeedbankBinary.succeed(command, in: folder.path)
      #expect(try probe.head(series)?.rows == rows, "\(what)")
      let newest = try publication.published().series[series]?.metadata.newestSnapshot
      #expect(newest?.version == lost.version, "\(what)")
    }
  }

  private func failEverywhere(
    _ command: [String], to version: Int, turn: Int, check: (String) throws -> Void
  ) throws {
    let old = try probe.head(series)
    let count = try injector.count(command, in: folder.path)
    let new = try probe.head(series)
    #expect(old?.version == version - 1 && new?.version == version && count > 30)
    print("step to version \(version): \(count) operations")
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample, turn: turn) {
      try restore()
      let outcome = try injector.run(command, fault, at: point, in: folder.path)
      let what = "\(fault) at \(point) of \(count) to version \(version), status \(outcome.status)"
      let found = try probe.head(series)
      #expect(found?.rows == (found?.version == old?.version ? old?.rows : new?.rows), "\(what)")
      try expectConvergence(command, new?.rows, "\(what): \(outcome.errors)")
      try check(what)
    }
  }

  private func restore() throws {
    try folder.replace("seedbank", by: "before")
  }

  /// Expects that the same command reaches the new version and that the next one removes unnamed files.
  private func expectConvergence(_ command: [String], _ rows: SeedRows?, _ what: String) throws {
    try SeedbankBinary.succeed(command, in: folder.path)
    #expect(try probe.head(series)?.rows == rows, "\(what): the next run does not converge")
    try folder.endGrace(in: "seedbank/state")
    try SeedbankBinary.succeed(Self.plain, in: folder.path)
    let metadata = try #require(try publication.published().series[series]?.metadata)
    if command != Self.plain { #expect(metadata.newestSnapshot?.version == metadata.state.head, "\(what)") }
    let names = try Folder.names(in: "\(publication.path)/targets/\(series)")
    #expect(
      Set(names) == Set(metadata.objects.map { "\($0.sha256.hex).\($0.fileName)" }), "\(what): files are left"
    )
    #expect(try probe.head(series)?.rows == rows, "\(what)")
  }
}
