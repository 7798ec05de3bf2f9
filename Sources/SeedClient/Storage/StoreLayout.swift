import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

import struct Foundation.Date

struct StoreLayout: Sendable {
  let directory: String

  init(directory: String) { self.directory = directory }

  init(checking directory: String) throws(SeedError) {
    guard directory.contains(where: { $0 != "/" }) else {
      throw SeedError(
        .configuration,
        "directory: \"\(directory)\" is a shared folder: give the store its own folder")
    }
    self.init(directory: directory)
  }

  var trust: String { "\(directory)/trust" }
  var generations: String { "\(directory)/generations" }
  var partial: String { "\(directory)/partial" }
  var current: String { "\(directory)/CURRENT" }
  var lock: String { "\(directory)/LOCK" }
  /// Rejected hashes, one per line.
  var rejections: String { "\(directory)/REJECTED" }
  var record: String { "\(directory)/STATE" }
  /// An empty file, recreated whenever the data in the current file changes, so that other stores notice.
  var news: String { "\(directory)/NEWS" }

  func folder(_ name: String) -> GenerationFolder {
    GenerationFolder(name: name, path: "\(generations)/\(name)")
  }

  /// Makes the folders, for the owner only: no other user may swap a file between its check and its use.
  func create() throws(FileError) {
    for folder in [directory, trust, generations, partial] { try Folder.create(folder, mode: 0o700) }
  }

  /// Removes generations that are not current, previous or leased. Requires the store's lock.
  func collect(sparing staged: String?) throws(FileError) {
    let kept = Set(try pointer()?.names ?? []).union(staged.map { [$0] } ?? [])
    for name in try Folder.names(in: generations) where !kept.contains(name) {
      try folder(name).removeIfFree()
    }
  }

  /// Everything that a store writes to its directory. The lock, by which others recognise a store, is last.
  var paths: [String] { [current, news, record, rejections, trust, partial, generations, lock] }

  /// Removes the store's files except generations that are being read. Requires the store's lock.
  func removeUnlessRead() throws(FileError) {
    // Removes the pointer first, so that no other store opens a generation that is about to be removed.
    try Folder.remove(current)
    for name in try Folder.names(in: generations) { try folder(name).removeIfFree() }
    let isRead = try !Folder.names(in: generations).isEmpty
    for path in paths where !isRead || ![generations, lock].contains(path) { try Folder.removeAny(path) }
    // The app may have put other files into the directory.
    if try Folder.names(in: directory).isEmpty { try Folder.removeAll(directory) }
  }

  // MARK: The current generation

  private static let currentBytes = 128

  /// The current generation's record names the previous generation, so one write of `CURRENT` changes both.
  func pointer() throws(FileError) -> GenerationPointer? {
    let bytes = try DurableFile.start(of: current, Self.currentBytes) ?? []
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    guard let name = line, Self.isName(name) else { return nil }
    let previous = try GenerationRecord(of: folder(name))?.previous
    return GenerationPointer(
      current: name, previous: previous.flatMap { Folder.exists(folder($0).record) ? $0 : nil })
  }

  /// Notifies other stores on the directory, including those in other processes, that deltas changed the
  /// current file. Not durable, because after a power loss every store reads the data again anyway.
  func notifyOthers() throws(FileError) { try DurableFile.replace(news, with: [], mode: 0o600) }

  func setCurrent(_ name: String) throws(FileError) {
    try DurableFile.write(Array("\(name)\n".utf8), to: current, mode: 0o600)
  }

  /// A unique name: SQLite's journals must never match another file with the same name.
  static func newName(_ version: SeedVersion) -> String {
    "\(version)-\(lowerHex((0..<8).map { _ in UInt8.random(in: .min ... .max) }))"
  }

  static func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
  }

  // MARK: Rejections

  private static let mostRejections = 32
  private static let lineBytes = 65

  /// Returns the hashes of snapshots and digests of states that failed on this device or were rolled back.
  func rejected() throws(FileError) -> [SHA256Digest] {
    let bytes = try DurableFile.start(of: rejections, Self.mostRejections * Self.lineBytes) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
      try? SHA256Digest(hex: String($0))
    }
  }

  func reject(_ digests: [SHA256Digest]) throws(FileError) {
    let known = try rejected().filter { !digests.contains($0) }
    let lines = (known + digests).suffix(Self.mostRejections).map { "\($0.hex)\n" }
    try DurableFile.write(Array(lines.joined().utf8), to: rejections, mode: 0o600)
  }
}

struct GenerationPointer: Hashable, Sendable {
  let current: String
  let previous: String?

  var names: [String] { [current] + (previous.map { [$0] } ?? []) }
}

extension StateRecord {
  private static let longest = 64 * 1024
  /// Seconds by which the last check's stored time may be wrong: a check every minute must not write every minute.
  static let tolerance = 3600

  /// False if only the time of the last check has changed, within the tolerance.
  func isWorthKeeping(over stored: StateRecord) -> Bool {
    var aged = stored
    aged.lastChecked = lastChecked
    guard self == aged, let now = lastChecked, let before = stored.lastChecked else { return self != stored }
    // `abs`, because the clock may have been set back.
    return abs(now.secondsSinceEpoch - before.secondsSinceEpoch) >= Self.tolerance
  }

  /// Returns an empty record if the file is missing, unreadable or about another major: nothing depends on the record.
  static func read(_ layout: StoreLayout, _ series: SeedSeries) -> StateRecord {
    let bytes = (try? DurableFile.readIfPresent(layout.record, limit: longest)) ?? nil
    return bytes.flatMap { try? StateRecord(parsing: $0, series) } ?? StateRecord()
  }

  func write(_ layout: StoreLayout, _ series: SeedSeries) throws(FileError) {
    var members: [JSONMember] = .init(
      ("major", JSONValue(series.major)), ("checked", lastChecked?.json), ("updated", lastUpdated?.json),
      ("published", publishedAt?.json),
      ("newest", newestVersion.map { JSONValue($0.number) }), ("poll", pollSeconds.map { JSONValue($0) }))
    let texts: [JSONMember] = .init(("lifecycle", lifecycle?.json), ("provenance", provenance?.json))
    // Drops an oversized text, because an unreadable record would lose the other fields too.
    for text in texts where JSONValue.object(members + [text]).bytes.count <= Self.longest {
      members.append(text)
    }
    try DurableFile.write(JSONValue.object(members).bytes, to: layout.record, mode: 0o600)
  }

  private init?(parsing bytes: [UInt8], _ series: SeedSeries) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    guard try fields.integerIfPresent("major", from: 0) == series.major else { return nil }
    lastChecked = try fields.timeIfPresent("checked")
    lastUpdated = try fields.timeIfPresent("updated")
    publishedAt = try fields.timeIfPresent("published")
    newestVersion = try fields.integerIfPresent("newest", from: 1).flatMap { try? SeedVersion($0) }
    pollSeconds = try fields.integerIfPresent("poll", from: 0)
    lifecycle = try fields.objectIfPresent("lifecycle", SeedLifecycle.init(reading:))
    guard var texts = try fields.objectIfPresent("provenance") else { return }
    provenance = try Provenance(
      license: texts.stringIfPresent("license"), attribution: texts.stringIfPresent("attribution"),
      source: texts.stringIfPresent("source"))
  }
}

extension Provenance {
  fileprivate var json: JSONValue {
    .object(
      .init(
        ("license", license.map(JSONValue.string)), ("attribution", attribution.map(JSONValue.string)),
        ("source", source.map(JSONValue.string))))
  }
}

extension UTCTime { fileprivate var json: JSONValue { JSONValue(secondsSinceEpoch) } }

extension JSONObjectReader {
  fileprivate mutating func timeIfPresent(_ name: String) throws(MalformedJSON) -> UTCTime? {
    try integerIfPresent(name, from: 0).map(UTCTime.init(secondsSinceEpoch:))
  }
}
