import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedPublisher

/// When files of a feed are ready, the types of columns, and the delay of failed programs.
@Suite struct FeedListingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func listing(_ change: (inout FeedSettings) -> Void) throws -> FeedListing {
    var settings = FeedSettings()
    change(&settings)
    return try FeedListing(folder.path, settings)
  }

  private func write(_ name: String) throws { try DurableFile.write([0x61], to: folder(name)) }

  @Test func `files are ready after the settle time, whatever their own time is`() throws {
    try write("a.csv")
    let now = UTCTime.now().secondsSinceEpoch
    let listing = try listing { $0.settleSeconds = 10 }
    #expect(listing.unfinished(now: now + 9) != nil || listing.unfinished(now: now + 8) != nil)
    #expect(listing.unfinished(now: now + 11) == nil)
    #expect(listing.unfinished(now: now - 100) != nil)
    #expect(!listing.isSettled(now: now) && listing.isSettled(now: now + 3))
    #expect(try self.listing { $0.settleSeconds = 0 }.unfinished(now: now) == nil)
  }

  @Test func `hidden files, folders, tables of SQLite and other kinds of files are not part of a feed`()
    throws
  {
    for name in [
      "a.csv", "B.TXT", ".hidden.csv", "c.pdf", "d.json.gz", "e.zip", "DONE", "f.dat", "SQLite_stat1.csv",
      "seedbank_feed.json", "sqlite_sequence.csv",
    ] { try write(name) }
    try Folder.create(folder("folder.csv"))
    let listing = try listing {
      $0.marker = "DONE"
      $0.tables = [FeedTable("f", file: "f.d*"), FeedTable("counter", file: "sqlite_sequence.csv")]
    }
    #expect(
      listing.entries.map(\.name) == ["B.TXT", "a.csv", "d.json.gz", "e.zip", "f.dat", "sqlite_sequence.csv"])
  }

  #if os(Linux)
  @Test func `members in an archive's order are read in one pass, and others in another one`() throws {
    let names = ["a.csv", "b.csv", "c.csv"]
    let script = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w") as z:
        for name in sys.argv[2:]: z.writestr(name, name)
      """
    _ = try python(script, [folder("feed.zip")] + names)
    let files = try FeedFile.all(folder("feed.zip"), limit: 100)
    func content(_ number: Int) throws -> String {
      var bytes: [UInt8] = []
      try files[number].read { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }
    for number in [0, 2, 1] { #expect(try content(number) == names[number]) }
    // The archive is not opened again until a member comes before the last one.
    try Folder.remove(folder("feed.zip"))
    #expect(try content(2) == names[2])
    #expect(throws: (any Error).self) { try content(0) }
  }
  #endif

  @Test func `a listing differs if a file is replaced or its content changes`() throws {
    try write("a.csv")
    let first = try listing { _ in }.text
    #expect(try listing { _ in }.text == first)
    try write("a.csv")
    #expect(try listing { _ in }.text != first)
  }

  @Test func `files that come or go after the marker are not ready, even links to old files`() throws {
    for name in ["a.csv", "b.csv", "DONE"] { try write(name) }
    let last = FeedRecord(
      listing: try listing { $0.marker = "DONE" }.text, form: "", source: "", loadedAt: 0, isSettled: true)
    func unfinished() throws -> String? { try listing { $0.marker = "DONE" }.unfinished(now: 0, since: last) }
    #expect(try unfinished() == nil)
    let link = folder("link.csv")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder("a.csv"))
    #expect(try unfinished()?.contains("added or removed after DONE") == true)
    try Folder.remove(link)
    #expect(try unfinished() == nil)
    try Folder.remove(folder("b.csv"))
    #expect(try unfinished()?.contains("added or removed after DONE") == true)
    try write("DONE")
    #expect(try unfinished() == nil)
  }

  @Test func `a column's type suits all its values`() throws {
    let connection = try Connection("survey", .scratch)
    try connection.execute("CREATE TABLE item(value TEXT)")
    func type(_ texts: String?...) throws -> String {
      try connection.execute("DELETE FROM item")
      for text in texts {
        try connection.execute("INSERT INTO item VALUES (?)", text.map { .text($0) } ?? .null)
      }
      let survey = try ColumnSurvey("value", of: "item", connection)
      #expect(survey.hasNull == texts.contains(nil))
      return survey.type(known: nil).rawValue
    }
    #expect(try type("1", nil, "-20") == "INTEGER" && type("0") == "INTEGER")
    #expect(try type("1", "2.5", "-0.25") == "REAL" && type("52.500") == "REAL")
    for text in [
      "007", "+1", "1e5", "1.", ".5", "-", "x", "1 ", "00.5", "-0", "1234567890123456789", "1.2.3", "", "-.5",
    ] {
      #expect(try type("1", text) == "TEXT", "\(text)")
    }
    #expect(try type(nil) == "TEXT" && type() == "TEXT")
  }

  @Test func `a failed program is not started again for a while, and its error is reported until then`()
    throws
  {
    struct Failed: Error {}
    let retry = FeedRetry()
    var runs = 0
    func attempt(_ pause: Int, after seconds: Int, fails: Bool) throws {
      try retry.trying(pause, now: UTCTime.now().secondsSinceEpoch + seconds) {
        runs += 1
        if fails { throw Failed() }
      }
    }
    #expect(throws: Failed.self) { try attempt(60, after: 0, fails: true) }
    #expect(throws: Failed.self) { try attempt(60, after: 30, fails: false) }
    #expect(runs == 1)
    try attempt(60, after: 61, fails: false)
    try attempt(60, after: 61, fails: false)
    #expect(runs == 3)
    #expect(throws: Failed.self) { try attempt(0, after: 0, fails: true) }
    try attempt(0, after: 0, fails: false)
  }
}
