#if canImport(CArchive)
import CArchive
import SeedSystem

/// Reads zip archives with libarchive, which only this file calls. Never writes files or uses names as paths.
final class FeedArchive {
  private let path: String
  private let handle: OpaquePointer

  private static let pieceBytes = 256 * 1024
  /// The size of the end record, 22 bytes, plus the longest possible comment.
  private static let endBytes = 22 + 0xFFFF
  private static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]

  /// Opens an archive through the central directory at its end, so a truncated archive is rejected.
  init(_ path: String) throws {
    // libarchive does not report why a file cannot be opened.
    _ = try File(path, for: .readingRegular(followsLinks: true))
    guard let handle = archive_read_new() else {
      throw OriginError.data("\(path): libarchive is out of memory")
    }
    (self.path, self.handle) = (path, handle)
    guard archive_read_support_format_zip_seekable(handle) == ARCHIVE_OK,
      archive_read_open_filename(handle, path, Self.pieceBytes) == ARCHIVE_OK
    else { throw OriginError.data("\(path): \(reason): check that it is a complete zip archive with files") }
  }

  deinit { archive_read_free(handle) }

  /// Returns the names of all files in the archive. Throws if their total expanded size exceeds `limit` bytes.
  func names(upTo limit: Int) throws -> [String] {
    var (names, rest, count) = (Set<String>(), limit, 0)
    while let member = try next() {
      count += 1
      // A folder may be listed twice.
      guard !member.name.hasSuffix("/") else { continue }
      guard names.insert(member.name).inserted else { throw refused(member.name, "it occurs twice") }
      rest -= member.size
      guard rest >= 0 else { throw OriginError.tooLong(path: path, limit: limit) }
    }
    // libarchive silently skips members if the directory's position or size is wrong.
    guard try memberCount() ?? count == count else { throw damaged("its directory lacks members") }
    return names.sorted()
  }

  /// Returns the number of members that the end record gives (APPNOTE 4.3.16); nil for ZIP64, which stores it elsewhere.
  private func memberCount() throws -> Int? {
    let file = try File(path, for: .readingRegular(followsLinks: true))
    let size = try file.stamp().size
    let end = try file.read(min(size, Self.endBytes), at: max(0, size - Self.endBytes))
    let starts = end.indices.dropLast(21).reversed()
    guard let start = starts.first(where: { end[$0...].starts(with: Self.endSignature) }) else { return nil }
    let count = Int(end[start + 10]) | Int(end[start + 11]) << 8
    return count == 0xFFFF ? nil : count
  }

  /// Reads the member with that name. Returns false if it does not follow the last member that was read, because
  /// libarchive reads only forward. libarchive checks the member's length and checksum against the directory.
  func read(_ name: String, _ sink: ([UInt8]) throws -> Void) throws -> Bool {
    while let member = try next() {
      guard member.name == name else { continue }
      var rest = member.size
      while case let piece = try piece(of: name), !piece.isEmpty {
        rest -= piece.count
        guard rest >= 0 else { throw damaged("\(name) is longer than the archive's directory says") }
        try sink(piece)
      }
      return true
    }
    return false
  }

  private func piece(of name: String) throws(OriginError) -> [UInt8] {
    var result = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
      result = archive_read_data(handle, buffer.baseAddress, buffer.count)
      count = max(0, result)
    }
    guard result >= 0 else { throw damaged("\(name): \(reason)") }
    return piece
  }

  private func next() throws(OriginError) -> (name: String, size: Int)? {
    var entry: OpaquePointer?
    let code = seedbank_archive_next(handle, &entry)
    guard code != ARCHIVE_EOF else { return nil }
    guard code == ARCHIVE_OK, let path = archive_entry_pathname(entry) else { throw damaged(reason) }
    let (name, kind) = (String(cString: path), archive_entry_filetype(entry))
    guard !name.hasPrefix("/"), !name.contains("\\"), !name.split(separator: "/").contains("..") else {
      throw refused(name, "its name leads out of the archive")
    }
    guard kind == seedbank_archive_file || kind == seedbank_archive_folder else {
      throw refused(name, "it is a link or a device")
    }
    guard archive_entry_is_encrypted(entry) == 0 else { throw refused(name, "it is encrypted") }
    let size = Int(archive_entry_size(entry))
    guard archive_entry_size_is_set(entry) != 0, size >= 0 else {
      throw refused(name, "the archive does not record its length")
    }
    return (name, size)
  }

  private var reason: String {
    archive_error_string(handle).map { String(cString: $0).filter { !$0.isNewline } } ?? "it cannot be read"
  }

  private func refused(_ name: String, _ reason: String) -> OriginError {
    .data("\(path), \(name): \(reason): make the archive again without it")
  }

  private func damaged(_ reason: String) -> OriginError {
    .data("\(path) is damaged: \(reason): put a whole archive there")
  }
}
#else
/// A stub for Apple's systems, which lack libarchive's headers. A publisher on them cannot read archives.
struct FeedArchive {
  init(_ path: String) throws { throw OriginError.data("\(path): this system reads no archives: unpack it") }
  func names(upTo limit: Int) -> [String] { [] }
  func read(_ name: String, _ sink: ([UInt8]) throws -> Void) -> Bool { false }
}
#endif
