import Foundation
import SeedFormat
import Support
import Testing

/// Feeds that are zip archives made by Python's zipfile.
@Suite struct FeedArchiveTests {
  let feed: FeedDeployment

  init() throws {
    feed = try FeedDeployment()
    try feed.configure("")
    for name in ["stops.txt", "stop_times.txt"] { try feed.remove(name) }
  }

  /// Creates the feed's archive. `files` are lines of Python that write to `z`.
  private func zip(_ files: String) throws {
    let script = """
      import sys, zipfile, stat
      stops, times = \(Self.python(FeedDeployment.stops)), \(Self.python(FeedDeployment.times))
      z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)
      \(files)
      z.close()
      """
    try Tool.run([Tool.python, "-c", script, feed.folder("feed/gtfs.zip")])
  }

  private var archive: [UInt8] {
    get throws { try Array(Data(contentsOf: URL(filePath: feed.folder("feed/gtfs.zip")))) }
  }

  /// Expects that each of many damaged archives is rejected or gives the correct rows.
  private func expectStops(
    afterDamageTo whole: [UInt8], _ damage: (inout [UInt8], inout SplitMix) -> Void
  ) throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for _ in 0..<Stage.pick(quick: 4, full: 40, deep: 40) {
      var bytes = whole
      damage(&bytes, &random)
      try feed.write(bytes, "gtfs.zip")
      let found = try feed.refusal()
      #expect(!found.isEmpty && !found.contains("Fatal"), "seed \(seed): \(found)")
      #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"], "seed \(seed): \(found)")
    }
  }

  private static func python(_ text: String) -> String { JSONValue.string(text).text }

  private static let both = "z.writestr('stops.txt', stops); z.writestr('stop_times.txt', times)"

  @Test func `an archive may use any compression and contain folders`() throws {
    try zip(Self.both)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"])
    let others = """
      z.comment = b'remark'; z.writestr('pläne/', ''); z.writestr('pläne/stops.txt', stops, zipfile.ZIP_STORED)
      z.writestr('pläne/stop_times.txt', times, zipfile.ZIP_BZIP2); z.writestr('LICENSE', 'free', zipfile.ZIP_LZMA); z.writestr('__MACOSX/._stops.txt', 'x')
      z.writestr('empty.bin', '')
      """
    try zip(others)
    #expect(try feed.refusal() == "published")
    #expect(try feed.version == 1)
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"])
  }

  static let mistakes = [
    (
      "leads out", "\(both); z.writestr('../other.txt', 'x')",
      "../other.txt: its name leads out of the archive"
    ),
    ("from the root", "\(both); z.writestr(zipfile.ZipInfo('/etc/x.txt'), 'x')", "leads out of the archive"),
    (
      "a link",
      "\(both); i = zipfile.ZipInfo('a.txt'); i.create_system = 3; i.external_attr = (stat.S_IFLNK | 0o777) << 16; z.writestr(i, '/etc/passwd')",
      "a.txt: it is a link"
    ),
    ("twice", "\(both); z.writestr('stops.txt', stops)", "stops.txt: it occurs twice"),
    ("in two folders", "\(both); z.writestr('b/stops.txt', stops)", "the table \"stops\" has several files"),
    ("a bomb", "\(both); z.writestr('shapes.txt', 'x' * 20000000)", "has more than 1000000 bytes"),
  ]

  @Test func `an archive is rejected if it has unsafe names, links, duplicates or too much expanded data`()
    throws
  {
    try feed.configure(#", "maximumBytes": 1000000"#)
    for (name, files, message) in Self.mistakes {
      try zip(files)
      let found = try feed.refusal()
      #expect(found.lowercased().contains(message.lowercased()), "\(name): \(found)")
      #expect(try feed.version == 0)
    }
    try zip(Self.both)
    #expect(try feed.refusal() == "published")
  }

  @Test func `a truncated or damaged archive is rejected or gives the correct rows`() throws {
    try zip(Self.both)
    let whole = try archive
    #expect(try feed.refusal() == "published")
    try feed.write(whole.dropLast(30) + [], "gtfs.zip")
    #expect(try feed.refusal().contains("complete zip archive"))
    try expectStops(afterDamageTo: whole) { bytes, random in
      bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
    }
  }

  @Test func `an archive is rejected if a file is encrypted or the central directory wrong`() throws {
    try feed.write(FeedDeployment.stops, "stops.txt")
    try Tool.run(["zip", "-qm", "-P", "secret", "gtfs.zip", "stops.txt"], in: feed.folder("feed"))
    #expect(try feed.refusal().contains("stops.txt: it is encrypted"))
    try zip("z.writestr('stop_times.txt', times); z.writestr('stops.txt', 'x' * 100000)")
    var bytes = try archive
    let size = withUnsafeBytes(of: UInt32(100_000).littleEndian) { Array($0) }
    for place in bytes.indices.dropLast(3) where Array(bytes[place..<place + 4]) == size {
      bytes[place + 1] = 0
    }
    try feed.write(bytes, "gtfs.zip")
    #expect(try feed.refusal().contains("ZIP uncompressed data is wrong size"))
    try zip("z.writestr('LICENSE', 'free'); \(Self.both)")
    let hidden = """
      import struct, sys
      b = bytearray(open(sys.argv[1], 'rb').read())
      size, start = struct.unpack_from('<II', b, len(b) - 10)
      entry = 46 + len('LICENSE')
      struct.pack_into('<II', b, len(b) - 10, size - entry, start + entry)
      open(sys.argv[1], 'wb').write(b)
      """
    try Tool.run([Tool.python, "-c", hidden, feed.folder("feed/gtfs.zip")])
    let found = try feed.refusal()
    #expect(found.contains("its directory lacks members"), "\(found)")
  }

  /// Makes zipfile write ZIP64 records, which large archives need.
  private static let long = "zipfile.ZIP64_LIMIT = 0; zipfile.ZIP_FILECOUNT_LIMIT = 0"

  @Test(.full) func `a ZIP64 archive gives its rows, and a damaged one is rejected`() throws {
    try zip(Self.both + "; \(Self.long)")
    let whole = try archive
    let locator = try #require(
      whole.indices.dropLast(3).first { Array(whole[$0..<$0 + 4]) == [0x50, 0x4B, 6, 7] })
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"])
    let directory = whole.lastIndex(of: 0x01).map { min($0, locator - 200) } ?? 0
    try expectStops(afterDamageTo: whole) { bytes, random in
      for _ in 0..<3 {
        let place = Int.random(in: max(0, directory)..<whole.count, using: &random)
        bytes[place] = random.pick([0, 0x7F, 0x80, 0xFF])
      }
    }
  }
}
