import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

struct FeedListing {
  let path: String
  let entries: [(name: String, stamp: FileStamp)]
  private let marker: FileStamp?
  /// The folder's stamp, which changes when a file is added or removed; `nil` if the feed is a single file.
  private let folder: FileStamp?
  private let settings: FeedSettings

  init(_ path: String, _ settings: FeedSettings) throws {
    (self.path, self.settings) = (path, settings)
    guard let stamp = try FileStamp(path) else {
      throw OriginError.unavailable(
        "there is no feed at \(path): put a folder, a file or a .zip there, or correct origin.feed")
    }
    guard !stamp.isRegular else {
      (marker, folder, entries) = (nil, nil, [(String(path.split(separator: "/").last ?? ""), stamp)])
      return
    }
    folder = stamp
    marker = try settings.marker.flatMap { try FileStamp("\(path)/\($0)") }
    entries = try Folder.names(in: path).compactMap { name in
      guard !name.hasPrefix("."), name != settings.marker,
        FeedName.isArchive(name) || settings.isDocument(name), let stamp = try FileStamp("\(path)/\(name)")
      else { return nil }
      return stamp.isRegular ? (name, stamp) : nil
    }
  }

  /// A text that differs if a file's content may have changed.
  var text: String {
    (entries.map { "\($0.name) \($0.stamp.text)" } + [marker?.text ?? ""]).joined(separator: "\n")
  }

  func files() throws -> [FeedFile] {
    let files = try entries.flatMap { entry in
      try FeedFile.all(folder == nil ? path : "\(path)/\(entry.name)", limit: settings.mostBytes)
    }.filter { settings.isDocument($0.name) }
    guard files.isEmpty else { return files }
    throw OriginError.unavailable(
      "the feed \(path) has no file whose name ends in .csv, .txt, .tsv, .ndjson, .jsonl or .json, with or without .gz, or in "
        + ".zip: put the files there, or name others in origin.tables")
  }

  /// A write at least this many seconds after the previous one is sure to change the file's modification time.
  private static let clockSeconds = 2

  /// Whether an equal listing taken later proves that no file was written in between.
  func isSettled(now: Int) -> Bool { newest(now).map { $0.age >= Self.clockSeconds } ?? true }

  /// The file that changed last, and the seconds since then.
  private func newest(_ now: Int) -> (name: String, age: Int)? {
    let all = entries + (folder.map { [("its list of files", $0)] } ?? [])
    return all.map { ($0.name, now - $0.stamp.changedSeconds) }.min { $0.1 < $1.1 }
  }

  /// Returns why the feed may be incomplete; `nil` if it can be read. `last` is the last load with the same settings.
  func unfinished(now: Int, since last: FeedRecord? = nil) -> String? {
    guard let name = settings.marker, folder != nil else { return unsettled(now) }
    guard let marker else { return "the file \(name), which completes the feed, is missing" }
    if let late = entries.first(where: { $0.stamp.isChanged(after: marker) }) {
      return "\(late.name) was added or changed after \(name), which completes the feed"
    }
    // Timestamps do not reveal removed files or redirected links. So if the marker is unchanged, the files must be too.
    guard let last, last.listing != text, last.listing.hasSuffix("\n\(marker.text)") else { return nil }
    return "files were added or removed after \(name), which completes the feed"
  }

  private func unsettled(_ now: Int) -> String? {
    guard settings.settleSeconds > 0, let (name, age) = newest(now), age < settings.settleSeconds else {
      return nil
    }
    let change = age < 0 ? "in the future, \(-age) seconds ahead of this clock" : "\(age) seconds ago"
    return "\(name) changed \(change), and origin.settleSeconds is \(settings.settleSeconds)"
  }
}

extension FeedSettings {
  fileprivate func isDocument(_ name: String) -> Bool {
    FeedName.layout(name, empty: emptyFields) != nil && !FeedTable.isReserved(FeedName.table(name))
      || tables.contains { $0.isNamed(name) }
  }
}

struct FeedFile {
  let place: String
  let read: (([UInt8]) throws -> Void) throws -> Void

  var name: String { String(place.split(separator: "/").last ?? "") }

  private static let pieceBytes = 256 * 1024

  /// Returns the file, or the members of an archive. Skips hidden members, as in a folder.
  static func all(_ path: String, limit: Int) throws -> [FeedFile] {
    guard FeedName.isArchive(path) else {
      let file = FeedFile(place: path) { sink in
        let file = try File(path, for: .readingRegular(followsLinks: true))
        while case let piece = try file.read(pieceBytes), !piece.isEmpty { try sink(piece) }
      }
      return [file]
    }
    let members = FeedMembers(path)
    return try FeedArchive(path).names(upTo: limit).filter { name in
      !name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
    }.map { name in FeedFile(place: "\(path)/\(name)") { try members.read(name, $0) } }
  }

  /// Expands the file. Returns its size plus `before`, the size of earlier files; throws once the sum exceeds `limit`.
  @discardableResult
  func expanded(
    upTo limit: Int, after before: Int = 0, passing: ([UInt8]) -> Void = { _ in },
    _ sink: ([UInt8]) throws -> Void
  ) throws -> Int {
    var bytes = before
    let unpacker = DocumentUnpacker()
    func take(_ piece: [UInt8]) throws {
      bytes += piece.count
      guard bytes <= limit else { throw OriginError.tooLong(path: place, limit: limit) }
      try sink(piece)
    }
    do {
      try read { piece in
        passing(piece)
        try unpacker.take(piece, take)
      }
      try unpacker.end(take)
      return bytes
    } catch let error as CompressionError { throw OriginError.data("\(place): \(error)") }
  }
}

/// Reads an archive's members, in one pass if they are requested in the archive's order.
private final class FeedMembers {
  private let path: String
  private var archive: FeedArchive?

  init(_ path: String) { self.path = path }

  func read(_ name: String, _ sink: ([UInt8]) throws -> Void) throws {
    do {
      if try archive?.read(name, sink) == true { return }
      let whole = try FeedArchive(path)
      archive = whole
      guard try whole.read(name, sink) else {
        throw OriginError.data("\(path) is damaged: \(name) is no longer in it: put a whole archive there")
      }
    } catch let error as OriginError {
      // libarchive reads nothing after an error.
      archive = nil
      throw error
    }
  }
}
