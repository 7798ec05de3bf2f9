import Foundation
import SeedFormat
import SeedServer
import SeedTrust
import Support
import Testing

/// A feed that is loaded while the process dies, or the disk fails, at any file operation.
@Suite(.serialized, .bounded) struct FeedFaultTests {
  /// Operations that an ordinary run tries for each fault; a deep run tries all of them.
  static let sample = 6
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]

  @Test(arguments: [nil, "feeds/my"])
  func `a feed whose loading fails leaves the old or the new rows, and the next step is right`(
    _ word: String?
  ) throws {
    let (feed, injector) = (try FeedDeployment(), try FaultInjector())
    try SeedbankBinary.succeed(Self.regenerate, in: feed.folder.path)
    let times = (3...400).map { "A,T,\($0)\n" }.joined()
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    try feed.write(FeedDeployment.times + times, "stop_times.txt")
    try Tool.run(["cp", "-a", feed.folder("seedbank"), feed.folder("before")])
    let count = try injector.count(Self.regenerate, on: word, in: feed.folder.path)
    let counts = try Self.counts(feed)
    #expect(counts == ["3", "400"] && count > 5)
    print("a feed of two files: \(count) operations on \(word ?? "all")")
    for fault in FaultInjector.Fault.allCases {
      for point in FaultInjector.points(count, sample: word == nil ? Self.sample : 3 * Self.sample) {
        try Tool.run(["rm", "-rf", feed.folder("seedbank")])
        try Tool.run(["cp", "-a", feed.folder("before"), feed.folder("seedbank")])
        let outcome = try injector.run(Self.regenerate, fault, at: point, on: word, in: feed.folder.path)
        let what =
          "\(fault) at \(point) of \(count) on \(word ?? "all"), status \(outcome.status): \(outcome.errors)"
        let probe = PublicationProbe(publication: PublicationDirectory(feed.folder("seedbank/publication")))
        let head = try probe.head(Series("my", major: 1))
        #expect(
          head?.rows.values.map(\.count).sorted() == (head?.version == 1 ? [2, 2] : [3, 400]), "\(what)")
        try SeedbankBinary.succeed(Self.regenerate, in: feed.folder.path)
        #expect(try Self.counts(feed) == counts, "\(what): the next step is wrong")
        let left = try FileManager.default.contentsOfDirectory(atPath: feed.folder("seedbank/state/feeds/my"))
        #expect(Set(left) == [".lock", "staging.sqlite"], "\(what): \(left)")
      }
    }
  }

  private static func counts(_ feed: FeedDeployment) throws -> [String] {
    try feed.rows("SELECT count(*) FROM stops UNION ALL SELECT count(*) FROM stop_times")
  }
}
