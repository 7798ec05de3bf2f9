package import SeedSystem

/// A regular file held open, shared by any number of responses: an answer under way is sent from the file as it was.
package final class OpenFile: Sendable {
  private let file: File
  /// The file as it was opened. It does not hold the descriptor.
  let identity: Identity

  struct Identity: Hashable, Sendable {
    fileprivate let path: String
    fileprivate let stamp: FileStamp

    var isCurrent: Bool { (try? FileStamp(path)) == stamp }
  }

  /// A symbolic link in the last place is refused.
  package init(path: String) throws(FileError) {
    file = try File(path, for: .readingRegular(followsLinks: false))
    identity = Identity(path: path, stamp: try file.stamp())
  }

  /// Bytes in the file when it was opened.
  package var length: Int64 { Int64(identity.stamp.size) }

  func holds(offset: Int64, length part: Int64) -> Bool {
    offset >= 0 && part >= 0 && offset <= length && part <= length - offset
  }

  /// A part of it; nil if it cannot be read, or has become shorter.
  func bytes(offset: Int64, length: Int64) -> [UInt8]? {
    guard let bytes = try? file.read(Int(length), at: Int(offset)), bytes.count == length else { return nil }
    return bytes
  }

  /// For a response, which closes it; nil if the process may open no more. The duplicates share a file position,
  /// which nobody moves: `sendfile` and `pread` take their offset.
  func duplicatedDescriptor() -> CInt? { file.duplicateDescriptor() }
}
