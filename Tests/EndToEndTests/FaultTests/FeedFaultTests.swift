import Foundation
import SeedFormat
import SeedPublication
import SeedTrust
import Support
import Testing

/// The process dies, or the disk fails, at any file operation of loading a feed.
@Suite(.serialized) struct FeedFaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  static let sample = 6
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]

  enum Source: CaseIterable {
    case folder, archive, command
  }

  /// Tries all operations of a step, and separately those on the staging database and on a program's output.
  @Test(
    arguments: Source.allCases, Stage.pick(quick: [nil], full: [nil, "feeds/my"], deep: [nil, "feeds/my"]))
  func `a failed load leaves the old or the new rows, and the next step is right`(
    _ source: Source, _ word: String?
  ) throws {
    let (feed, injector) = (try FeedDeployment(), try FaultInjector())
    try set(source, feed)
    try SeedbankBinary.succeed(Self.regenerate, in: feed.folder.path)
    let times = (3...400).map { "A,T,\($0)\n" }.joined()
    try write(source, feed, stops: FeedDeployment.stops + "C,Sea,,\n", times: FeedDeployment.times + times)
    try Tool.run(["cp", "-a", feed.folder("seedbank"), feed.folder("before")])
    let count = try injector.count(Self.regenerate, on: word, in: feed.folder.path)
    let counts = try Self.counts(feed)
    #expect(counts == ["3", "400"] && count > 5)
    print("a feed of two files, \(source): \(count) operations on \(word ?? "all")")
    let turn = Source.allCases.firstIndex(of: source)
    for (fault, point) in FaultInjector.attempts(count, sample: Self.points(source, word), turn: turn) {
      try feed.folder.replace("seedbank", by: "before")
      let outcome = try injector.run(Self.regenerate, fault, at: point, on: word, in: feed.folder.path)
      let what =
        "\(source), \(fault) at \(point) of \(count) on \(word ?? "all"), status \(outcome.status): \(outcome.errors)"
      let probe = PublicationProbe(publication: PublicationDirectory(feed.folder("seedbank/publication")))
      let head = try probe.head(SeedSeries("my", major: 1))
      #expect(
        head?.rows.values.map(\.count).sorted() == (head?.version == 1 ? [2, 2] : [3, 400]), "\(what)")
      try SeedbankBinary.succeed(Self.regenerate, in: feed.folder.path)
      #expect(try Self.counts(feed) == counts, "\(what): the next step is wrong")
      try expectNothingLeft(source, feed, what)
    }
  }

  private static func points(_ source: Source, _ word: String?) -> Int {
    source == .folder ? (word == nil ? sample : 3 * sample) : sample / 2
  }

  private func set(_ source: Source, _ feed: FeedDeployment) throws {
    switch source {
    case .folder: return
    case .archive: try write(source, feed, stops: FeedDeployment.stops, times: FeedDeployment.times)
    case .command:
      let command = #""origin": {"command": ["/bin/sh", "-c", "cp '\#(feed.folder("feed"))'/*.txt ."]}"#
      try feed.folder.edit("seedbank/my/dataset.json") {
        $0.replacing(#/"origin": \{[^}]*\}+/#, with: command)
      }
    }
  }

  private func write(_ source: Source, _ feed: FeedDeployment, stops: String, times: String) throws {
    try feed.write(stops, "stops.txt")
    try feed.write(times, "stop_times.txt")
    guard source == .archive else { return }
    try Tool.run([
      "sh", "-ec", "cd \(feed.folder("feed")); rm -f gtfs.zip; zip -q -m gtfs.zip stops.txt stop_times.txt",
    ])
  }

  private func expectNothingLeft(_ source: Source, _ feed: FeedDeployment, _ what: String) throws {
    let left = try FileManager.default.contentsOfDirectory(atPath: feed.folder("seedbank/state/feeds/my"))
    let filled = left.filter { $0.hasPrefix("filled-") }
    #expect(filled.count == (source == .command ? 1 : 0), "\(what): \(left)")
    let others = Set(left).subtracting(filled).subtracting(source == .command ? ["command.log"] : [])
    #expect(others == [".lock", "staging.sqlite"], "\(what): \(left)")
  }

  private static func counts(_ feed: FeedDeployment) throws -> [String] {
    try feed.rows("SELECT count(*) FROM stops UNION ALL SELECT count(*) FROM stop_times")
  }
}
