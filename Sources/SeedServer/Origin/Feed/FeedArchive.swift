#if canImport(CArchive)
import CArchive
import SeedSystem

/// A zip archive, which libarchive reads: only this file calls it. No member is unpacked, and no name is used as a path.
final class FeedArchive {
  struct Member {
    /// With its folders.
    let name: String
    /// Bytes, expanded.
    let size: Int
  }

  private let path: String
  private let handle: OpaquePointer

  private static let pieceBytes = 256 * 1024
  /// The names of all members are kept in memory.
  private static let mostMembers = 100_000

  /// Opens an archive by its directory, which is at its end: the front of an archive that is cut short is not enough.
  init(_ path: String) throws {
    // libarchive would not report why the system opens no file.
    _ = try File(path, for: .readingRegular(followsLinks: true))
    guard let handle = archive_read_new() else {
      throw FeedError.document("\(path): libarchive has no memory")
    }
    (self.path, self.handle) = (path, handle)
    guard archive_read_support_format_zip_seekable(handle) == ARCHIVE_OK,
      archive_read_open_filename(handle, path, Self.pieceBytes) == ARCHIVE_OK
    else { throw FeedError.document("\(path): \(reason): is it whole, and a zip archive with files?") }
  }

  deinit { archive_read_free(handle) }

  /// All files in it, which together have at most `limit` bytes, expanded.
  func members(upTo limit: Int) throws(FeedError) -> [Member] {
    var (members, names, rest) = ([Member](), Set<String>(), limit)
    while let member = try next() {
      guard names.insert(member.name).inserted else { throw refused(member.name, "it is there twice") }
      rest -= member.size
      guard rest >= 0 else { throw .tooLong(path: path, limit: limit) }
      guard members.count < Self.mostMembers else {
        throw .document("\(path): it has more than \(Self.mostMembers) files: put them into several archives")
      }
      members.append(member)
    }
    return members
  }

  /// Hands on the bytes of the member with that name. libarchive compares their length and their checksum with the directory.
  func read(_ name: String, _ sink: ([UInt8]) throws -> Void) throws {
    while let member = try next() {
      guard member.name == name else { continue }
      var rest = member.size
      while case let piece = try piece(of: name), !piece.isEmpty {
        rest -= piece.count
        guard rest >= 0 else { throw damaged("\(name) is longer than the archive's directory says") }
        try sink(piece)
      }
      return
    }
    throw damaged("\(name) is not in it any more")
  }

  private func piece(of name: String) throws(FeedError) -> [UInt8] {
    var result = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
      result = archive_read_data(handle, buffer.baseAddress, buffer.count)
      count = max(0, result)
    }
    guard result >= 0 else { throw damaged("\(name): \(reason)") }
    return piece
  }

  // MARK: Members

  /// The next file, from the archive's start; folders are skipped.
  private func next() throws(FeedError) -> Member? {
    while true {
      var entry: OpaquePointer?
      let code = seedbank_archive_next(handle, &entry)
      guard code != ARCHIVE_EOF else { return nil }
      guard code == ARCHIVE_OK, let entry, let name = archive_entry_pathname(entry) else {
        throw damaged(reason)
      }
      if archive_entry_filetype(entry) != seedbank_archive_folder {
        return try member(entry, String(cString: name))
      }
    }
  }

  private func member(_ entry: OpaquePointer, _ name: String) throws(FeedError) -> Member {
    guard !name.hasPrefix("/"), !name.contains("\\"), !name.split(separator: "/").contains("..") else {
      throw refused(name, "its name leads out of the archive")
    }
    let kind = archive_entry_filetype(entry)
    guard kind != seedbank_archive_link else { throw refused(name, "it is a link") }
    guard kind == seedbank_archive_file else { throw refused(name, "it is not a regular file") }
    guard archive_entry_is_encrypted(entry) == 0 else { throw refused(name, "it is encrypted") }
    let size = Int(archive_entry_size(entry))
    guard archive_entry_size_is_set(entry) != 0, size >= 0 else {
      throw refused(name, "the archive does not say how long it is")
    }
    return Member(name: name, size: size)
  }

  // MARK: Errors

  /// In libarchive's words.
  private var reason: String {
    archive_error_string(handle).map { String(cString: $0).filter { !$0.isNewline } } ?? "it cannot be read"
  }

  private func refused(_ name: String, _ reason: String) -> FeedError {
    .document("\(path), \(name): \(reason): make the archive again without it")
  }

  private func damaged(_ reason: String) -> FeedError {
    .document("\(path) is damaged: \(reason): put a whole archive there")
  }
}
#else
/// Apple's systems have no headers of libarchive; a publisher there reads folders alone.
struct FeedArchive {
  struct Member {
    let name: String
    let size: Int
  }

  init(_ path: String) throws(FeedError) {
    throw .document("\(path): this system reads no archives: unpack it")
  }
  func members(upTo limit: Int) throws(FeedError) -> [Member] { [] }
  func read(_ name: String, _ sink: ([UInt8]) throws -> Void) throws {}
}
#endif
