import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

extension SeriesFacts {
  /// Facts with a value for each member.
  static func example(of series: SeedSeries) -> SeriesFacts {
    let time = UTCTime(secondsSinceEpoch: 1_790_000_000)
    var step = StepRecord(.published, of: series.dataset, at: time, milliseconds: 30)
    (step.series, step.last, step.times) = (series, time.adding(seconds: 1), 2)
    (step.from, step.to, step.missedRows) = (103, 104, 4)
    step.foundBy = FoundBy(.comparison, .otherSchema, reason: nil)
    (step.deltaBytes, step.snapshotBytes, step.rows) = (300, 4000, 1234)
    var changes = TableChanges()
    (changes.inserted, changes.updated, changes.deleted) = (1, 2, 3)
    step.changes = ["stop \"x\"": changes]
    var facts = SeriesFacts(
      series, writtenAt: time,
      look: Look(good: time, newest: .failed, newestAt: time.adding(seconds: 9), reason: .disk))
    facts.nextSnapshot = time
    facts.look.reading = OriginReading(openMilliseconds: 1500, lagSeconds: 3)
    facts.look.reading.role = .standby
    (facts.look.foundBy, facts.look.behindSince) = (FoundBy(.log, .someTables, reason: nil), time)
    (facts.checkSeconds, facts.expectedChangeSeconds) = (2, 86_400)
    (facts.commandSeconds, facts.lifetimeSeconds, facts.gained) = (600, 604_800, 3)
    facts.tables = [
      Table(
        name: "stop", rows: 7, columns: [Column(name: "id", type: "INTEGER", isKey: true)],
        sql: "CREATE TABLE stop(id INTEGER PRIMARY KEY)")
    ]
    var refused = StepRecord(.refused, of: series.dataset, at: time)
    refused.series = series
    facts.steps = [step, refused]
    facts.missedRows = 12
    facts.counts = [.published: 3, .unchanged: 100, .failed: 1]
    return facts
  }
}

@Suite struct SeriesFactsTests {
  static let series = FrontPublication.transit
  private let folder: TemporaryFolder
  private let publication: PublicationDirectory
  private var facts: FactsFolder { publication.facts }

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    publication = PublicationDirectory(folder("publication"))
  }

  @Test func `written facts are read back equal`() throws {
    let written = SeriesFacts.example(of: Self.series)
    try facts.write(written)
    #expect(facts.read(Self.series) == written)
    var named = written
    named.look.reading.server = "db2"
    named.steps[0].error = "/private/file"
    named.steps[0].foundBy = FoundBy(.comparison, .otherSchema, reason: "private table")
    try facts.write(named)
    #expect(facts.read(Self.series) == written, "names of servers, files and tables are not public")
    let text = String(decoding: try DurableFile.read(facts.file(Self.series), limit: 100_000), as: UTF8.self)
    #expect(!text.contains("private"))
    try facts.remove(Self.series)
    #expect(facts.read(Self.series) == nil)
    #expect(try Folder.names(in: folder("publication/facts")).isEmpty)
  }

  @Test func `facts with unknown members are read, those with a missing or mistyped one are not`() throws {
    let written = SeriesFacts.example(of: Self.series)
    let members = try #require(written.json.members)
    let more = JSONMember("counts", .object((written.json["counts"]?.members ?? []) + [.init("new", 1)]))
    let json = JSONValue.object(members.filter { $0.name != "counts" } + [more, .init("more", ["x": 1])])
    #expect(SeriesFacts(json) == written)
    let text = SeriesFacts.example(of: Self.series).json.text.replacing("\"disk\"", with: "\"weather\"")
    #expect(SeriesFacts(try JSONValue(parsing: Array(text.utf8)))?.look.reason == .other)
    for (place, member) in members.enumerated() {
      var others = members
      others.remove(at: place)
      #expect(SeriesFacts(.object(others)) == nil, "\(member.name)")
      others.append(JSONMember(member.name, -1))
      #expect(SeriesFacts(.object(others)) == nil, "\(member.name)")
    }
  }

  enum Accident: String, CaseIterable {
    case empty, half, noJSON, tenMegabytes, ofAnotherSeries, link, pipe, folder
  }

  @Test(arguments: Accident.allCases)
  func `an invalid facts file counts as missing and is replaced by the next step`(
    _ accident: Accident
  ) throws {
    let written = SeriesFacts.example(of: Self.series)
    try facts.write(written)
    let path = facts.file(Self.series)
    try bring(accident, about: path, written.json.bytes)
    #expect(facts.read(Self.series) == nil)
    if accident == .folder { try Folder.removeAll(path) }
    try facts.write(written)
    #expect(facts.read(Self.series) == written)
  }

  private func bring(_ accident: Accident, about path: String, _ bytes: [UInt8]) throws {
    switch accident {
    case .empty: try DurableFile.write([], to: path)
    case .half: try DurableFile.write(Array(bytes[..<(bytes.count / 2)]), to: path)
    case .noJSON: try DurableFile.write(Array("facts".utf8), to: path)
    case .tenMegabytes: try DurableFile.write(bytes + Array(repeating: 0x20, count: 10 << 20), to: path)
    case .ofAnotherSeries:
      try DurableFile.write(SeriesFacts.example(of: try SeedSeries("other", major: 2)).json.bytes, to: path)
    case .link:
      try DurableFile.write(bytes, to: folder("elsewhere"))
      try Folder.remove(path)
      #expect(symlink(folder("elsewhere"), path) == 0)
    case .pipe:
      try Folder.remove(path)
      #expect(mkfifo(path, 0o644) == 0)
    case .folder:
      try Folder.remove(path)
      try Folder.create(path)
    }
  }

  @Test(.full) func `facts over the size limit lose steps first and then tables`() throws {
    var large = SeriesFacts.example(of: Self.series)
    large.steps = Array(repeating: large.steps[0], count: 20_000)
    try facts.write(large)
    let read = try #require(facts.read(Self.series))
    #expect(read.tables == large.tables && read.counts == large.counts)
    #expect((1..<20_000).contains(read.steps.count))
    let table = large.tables[0]
    large.tables = [
      SeriesFacts.Table(
        name: table.name, rows: 1, columns: [], sql: String(repeating: "x", count: FactsFolder.mostBytes))
    ]
    try facts.write(large)
    #expect(facts.read(Self.series)?.tables == [] && facts.read(Self.series)?.counts == large.counts)
  }

  private func followedAfterWriting(_ all: [SeedSeries], _ followed: inout FollowedFacts) throws -> Bool {
    for series in all { try facts.write(.example(of: series)) }
    return followed.look(at: facts, of: all)
  }

  @Test func `only changed facts files are read again and deleted ones are dropped`() throws {
    let others = try (1...3).map { try SeedSeries("other", major: $0) }
    var followed = FollowedFacts()
    let all = [Self.series] + others
    let looks = [
      followed.look(at: facts, of: all), try followedAfterWriting(all, &followed),
      followed.look(at: facts, of: all),
    ]
    #expect(looks == [false, true, false] && followed.facts.count == 4)
    var newer = SeriesFacts.example(of: others[0])
    newer.counts[.published] = 99
    try facts.write(newer)
    try facts.remove(others[1])
    try DurableFile.write([1], to: facts.file(others[2]))
    let hasChanged = followed.look(at: facts, of: all)
    #expect(hasChanged)
    #expect(followed.facts[others[0]] == newer && followed.facts[others[1]] == nil)
    #expect(followed.facts[others[2]] == nil && followed.facts[Self.series] != nil)
  }

  @Test func `a file that could not be read is read again, and a damaged one is not`() throws {
    try facts.write(.example(of: Self.series))
    let stamp = facts.stamp(Self.series)
    var followed = FollowedFile<Int>()
    _ = followed.look(stamp) { () throws(FileError) in throw FileError("open", "facts", EMFILE) }
    #expect(followed.content == nil)
    let isRead = followed.look(stamp) { 7 }
    #expect(isRead && followed.content == 7)
    var damaged = FollowedFile<Int>()
    let looks = (0..<2).map { _ in damaged.look(stamp) { nil } }
    #expect(looks == [true, false])
  }
}
