#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What `stat` says of a file that changes when its content does.
package struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  /// Whether it is a file in the narrow sense: no folder, pipe or device.
  package let isRegular: Bool
  /// Whether others than its owner may read or write it.
  package let isOpenToOthers: Bool
  private let modifiedNanoseconds: Int
  /// When the file's content, name or owner last changed: unlike the time above, no program can set it.
  private let changedSeconds: Int
  private let changedNanoseconds: Int
  /// Seconds since 1970.
  package let modifiedSeconds: Int

  /// All of it as text, for a stamp that is kept in a file.
  package var text: String {
    [
      "\(device)", "\(inode)", "\(size)", "\(modifiedSeconds).\(modifiedNanoseconds)",
      "\(changedSeconds).\(changedNanoseconds)",
    ].joined(separator: " ")
  }

  /// Whether both are of one file, whatever its content was each time.
  package func isOfSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

  /// `nil` where there is no such file.
  package init?(_ path: String) throws(FileError) {
    var status = stat()
    if stat(path, &status) != 0 {
      if errno == ENOENT { return nil }
      throw FileError("stat", path)
    }
    self.init(status)
  }

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isOpenToOthers = status.st_mode & 0o077 != 0
    #if canImport(Glibc)
    let (time, change) = (status.st_mtim, status.st_ctim)
    #else
    let (time, change) = (status.st_mtimespec, status.st_ctimespec)
    #endif
    changedSeconds = change.tv_sec
    changedNanoseconds = change.tv_nsec
    modifiedSeconds = time.tv_sec
    modifiedNanoseconds = time.tv_nsec
  }
}
