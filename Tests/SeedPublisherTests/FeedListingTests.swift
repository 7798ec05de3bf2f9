import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedPublisher

/// When a feed's files may be read, and what a column's values say.
@Suite struct FeedListingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func listing(_ change: (inout FeedSettings) -> Void) throws -> FeedListing {
    var settings = FeedSettings()
    change(&settings)
    return try FeedListing(folder.path, settings)
  }

  private func write(_ name: String) throws { try DurableFile.write([0x61], to: folder(name)) }

  @Test func `files are ready once they have rested, whatever their own time says`() throws {
    try write("a.csv")
    let now = UTCTime.now().secondsSinceEpoch
    let listing = try listing { $0.settleSeconds = 10 }
    #expect(listing.readiness(now: now + 9) != .ready || listing.readiness(now: now + 8) != .ready)
    #expect(listing.readiness(now: now + 11) == .ready)
    #expect(listing.readiness(now: now - 100) != .ready)
    #expect(!listing.isSettled(now: now) && listing.isSettled(now: now + 3))
    #expect(try self.listing { $0.settleSeconds = 0 }.readiness(now: now) == .ready)
  }

  @Test func `hidden files, folders and files of other kinds are none of a feed's`() throws {
    for name in ["a.csv", "B.TXT", ".hidden.csv", "c.pdf", "d.json.gz", "e.zip", "DONE", "f.dat"] {
      try write(name)
    }
    try Folder.create(folder("folder.csv"))
    let listing = try listing {
      $0.marker = "DONE"
      $0.tables = [FeedTable("f", file: "f.d*")]
    }
    #expect(listing.entries.map(\.name) == ["B.TXT", "a.csv", "d.json.gz", "e.zip", "f.dat"])
  }

  @Test func `a listing differs where a file is another, or has another content`() throws {
    try write("a.csv")
    let first = try listing { _ in }.text
    #expect(try listing { _ in }.text == first)
    try write("a.csv")
    #expect(try listing { _ in }.text != first)
  }

  @Test func `a column's type suits all its values`() {
    func type(_ texts: String...) -> String {
      var survey = ColumnSurvey()
      for text in texts {
        var text = text
        let isEmpty = text.isEmpty
        text.withUTF8 { survey.take(isEmpty ? .null : .text($0), isText: false) }
      }
      return survey.type.rawValue
    }
    #expect(type("1", "", "-20") == "INTEGER" && type("0") == "INTEGER")
    #expect(type("1", "2.5", "-0.25") == "REAL" && type("52.500") == "REAL")
    for text in [
      "007", "+1", "1e5", "1.", ".5", "-", "x", "1 ", "00.5", "-0", "1234567890123456789", "1.2.3",
    ] {
      #expect(type("1", text) == "TEXT", "\(text)")
    }
    #expect(type("") == "TEXT" && type() == "TEXT")
  }

  @Test func `a program that failed is left alone for a while, and its error counts on`() throws {
    struct Failed: Error {}
    let pace = FeedPace()
    var runs = 0
    func attempt(_ pause: Int, after seconds: Int, fails: Bool) throws {
      try pace.trying(pause, now: UTCTime.now().secondsSinceEpoch + seconds) {
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
