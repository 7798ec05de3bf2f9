import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// A step with a passed calendar moment is killed, or its disk fails, at any file operation: exactly one snapshot
/// serves the moment.
@Suite(.serialized) struct CalendarFaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  static let sample = 4
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]
  /// Operations on paths with this text are tried in every run.
  private static let mark = ".calendar"

  private let folder: TemporaryFolder
  private let injector: FaultInjector
  private let clock: MovedClock
  private let series: SeedSeries

  private var publication: PublicationDirectory { PublicationDirectory(folder("seedbank/publication")) }

  /// Publishes two days ago, with one moment a day that is about twelve hours away.
  init() throws {
    (folder, injector, clock) = (try TemporaryFolder(inMemory: true), try FaultInjector(), try MovedClock())
    series = try SeedSeries("my", major: 1)
    try changeOrigin(
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, rank INTEGER); INSERT INTO shop VALUES (1, 1), (2, 1)")
    let (moment, command) = (try Self.distantMoment(), SeedbankBinary.path)
    for arguments in [["init", "my.sqlite"], Self.regenerate] {
      try Tool.run(
        clock.words(seconds: -2 * MovedClock.secondsPerDay) + [command] + arguments, in: folder.path)
    }
    try folder.edit("seedbank/my/dataset.json") {
      $0.replacing(/"snapshotSeconds": \d+/, with: "\"snapshots\": \"\(moment)\"")
    }
  }

  private static func distantMoment() throws -> String {
    let hour = try #require(Int(UTCTime.now().text.dropFirst(11).prefix(2)))
    return "\((hour + 12) % 24 < 10 ? "0" : "")\((hour + 12) % 24):00"
  }

  private func changeOrigin(_ sql: String) throws { try Tool.sqlite(folder("my.sqlite"), sql) }

  private func save() throws { try Tool.run(["cp", "-a", folder("seedbank"), folder("before")]) }

  private func restore() throws {
    try folder.replace("seedbank", by: "before")
  }

  private func snapshots() throws -> [Int] {
    let objects = try publication.published().series[series]?.metadata.objects ?? []
    return objects.compactMap {
      if case .snapshot(let version, .gzip) = $0.kind { version.number } else { nil }
    }
    .sorted()
  }

  private func failEverywhere(_ expect: (_ what: String) throws -> Void) throws {
    for word in [nil, Self.mark] {
      try restore()
      let count = try injector.count(Self.regenerate, on: word, in: folder.path)
      #expect(count > (word == nil ? 20 : 3))
      let (sample, turn) = word == nil ? (Self.sample, 1) : (count, nil)
      for (fault, point) in FaultInjector.attempts(count, sample: sample, turn: turn) {
        try restore()
        let outcome = try injector.run(Self.regenerate, fault, at: point, on: word, in: folder.path)
        _ = try PublicationProbe(publication: publication).head(series)
        try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
        try expect("\(fault) at \(point) of \(count) on \(word ?? "all"): \(outcome.errors)")
      }
    }
  }

  @Test(.full) func `a passed moment gets one snapshot, at whatever operation the step fails`() throws {
    try changeOrigin("UPDATE shop SET rank = 2")
    try save()
    try failEverywhere { what in
      #expect(try snapshots() == [1, 2], "\(what)")
      // The moment is served: later changes wait for the next one.
      try changeOrigin("UPDATE shop SET rank = 3")
      try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
      #expect(try snapshots() == [1, 2], "\(what)")
      let head = try #require(try PublicationProbe(publication: publication).head(series))
      #expect(head.version == 3, "\(what)")
      try changeOrigin("UPDATE shop SET rank = 2")
    }
  }

  @Test func `a passed moment without changes is recorded, at whatever operation the step fails`() throws {
    try save()
    try failEverywhere { what in
      #expect(CalendarMark(series, in: folder("seedbank/state")).time != nil, "\(what)")
      try changeOrigin("UPDATE shop SET rank = 2")
      try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
      #expect(try snapshots() == [1], "\(what)")
      try changeOrigin("UPDATE shop SET rank = 1")
    }
  }
}
