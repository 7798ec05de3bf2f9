import SeedFormat
import SeedImport
import SeedSystem
import SeedTrust

/// One document of a feed, wherever it lies.
struct FeedFile {
  /// Its own name, without folders.
  let name: String
  /// What messages call it.
  let place: String
  /// Bytes as they lie there.
  let size: Int
  /// Equal for a content that nobody changed.
  let stamp: String
  /// Hands on its bytes as they lie there.
  let read: (([UInt8]) throws -> Void) throws -> Void

  private static let pieceBytes = 256 * 1024

  /// A file of a folder.
  init(_ entry: FeedListing.Entry) {
    (name, place, size) = (entry.name, entry.path, entry.stamp.size)
    stamp = entry.stamp.text
    read = { sink in
      let file = try File(entry.path, for: .readingRegular(followsLinks: true))
      while case let piece = try file.read(Self.pieceBytes), !piece.isEmpty { try sink(piece) }
    }
  }

  /// All documents that a file of a folder is or holds. What is hidden in an archive is passed over, as in a folder.
  static func all(_ entry: FeedListing.Entry, limit: Int) throws -> [FeedFile] {
    guard FeedName.isArchive(entry.name) else { return [FeedFile(entry)] }
    let members = try ZipDirectory(entry.path).members.filter { member in
      !member.name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
    }
    var rest = limit
    for member in members {
      rest -= member.size
      guard rest >= 0 else { throw FeedError.tooLong(path: entry.path, limit: limit) }
    }
    return members.map { FeedFile($0, of: entry) }
  }

  /// A member of an archive, by its name without folders.
  private init(_ member: ZipDirectory.Member, of archive: FeedListing.Entry) {
    name = String(member.name.split(separator: "/").last ?? "")
    place = "\(archive.path)/\(member.name)"
    size = member.size
    stamp = "\(archive.stamp.text) \(member.checksum)"
    read = { sink in try member.read(from: archive.path, sink) }
  }

  /// What its bytes come to.
  func digest() throws -> SHA256Digest {
    var hasher = SHA256Hasher()
    try read { hasher.update($0) }
    return hasher.finish()
  }
}
