import Foundation
import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

@Suite(.serialized) struct LevelFaultTests {
  static let sample = 10
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]

  /// A deployment at version 15 with a changed origin: the next step publishes and merges deltas.
  private static func scene() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL);
      INSERT INTO shop SELECT value, 'shop ' || value, 0.5 FROM generate_series(1, 50);
      """)
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: folder.path)
    try SeedbankBinary.succeed(regenerate, in: folder.path)
    for version in 2...16 {
      try Tool.sqlite(
        folder("my.sqlite"),
        "UPDATE shop SET rank = \(version) WHERE id = \(version); DELETE FROM shop WHERE id = \(60 - version)"
      )
      if version < 16 { try SeedbankBinary.succeed(regenerate, in: folder.path) }
    }
    try Tool.run(["cp", "-a", folder("seedbank"), folder("before")])
    return folder
  }

  @Test func `a publisher that dies at any file operation of a merge leaves the old or the new version`()
    throws
  {
    let (folder, injector, series) = (try Self.scene(), try FaultInjector(), try SeedSeries("my", major: 1))
    let publication = PublicationDirectory(folder("seedbank/publication"))
    let probe = PublicationProbe(publication: publication)
    func restore() throws {
      try Tool.run(["rm", "-rf", folder("seedbank")])
      try Tool.run(["cp", "-a", folder("before"), folder("seedbank")])
    }
    let old = try probe.head(series)
    let count = try injector.count(Self.regenerate, in: folder.path)
    let new = try probe.head(series)
    #expect(old?.version == 15 && new?.version == 16 && count > 30)
    for fault in FaultInjector.Fault.allCases {
      for point in FaultInjector.points(count, sample: Self.sample) {
        try restore()
        let outcome = try injector.run(Self.regenerate, fault, at: point, in: folder.path)
        let what = "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
        let found = try probe.head(series)
        #expect(found?.rows == (found?.version == 15 ? old?.rows : new?.rows), "\(what)")
        try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
        #expect(try probe.head(series)?.rows == new?.rows, "\(what): the next run does not converge")
        let merged = try publication.published().series[series]?.metadata.objects.contains {
          $0.kind == .delta(from: .first, to: 16)
        }
        #expect(merged == true, "\(what): nothing was merged")
      }
    }
  }
}
