package import SeedSystem

/// A regular file held open and shared by responses, which are unaffected if the file is replaced.
package final class OpenFile: Sendable {
  private let file: File
  /// Bytes in the file when it was opened.
  package let length: Int64

  /// Rejects a path that is a symbolic link.
  package init(path: String) throws(FileError) {
    file = try File(path, for: .readingRegular(followsLinks: false))
    length = Int64(try file.length())
  }

  func holds(offset: Int64, length part: Int64) -> Bool {
    offset >= 0 && part >= 0 && offset <= length && part <= length - offset
  }

  /// A part of the file; nil if it is unreadable or truncated.
  func bytes(offset: Int64, length: Int64) -> [UInt8]? {
    guard let bytes = try? file.read(Int(length), at: Int(offset)), bytes.count == length else { return nil }
    return bytes
  }

  /// A descriptor for a response, which closes it; nil if the process is out of descriptors. The duplicates share a
  /// file position, which does not matter: `sendfile` and `pread` take an offset.
  func duplicatedDescriptor() -> CInt? { file.duplicateDescriptor() }
}
