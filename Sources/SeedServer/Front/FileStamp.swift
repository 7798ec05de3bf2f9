internal import Glibc

/// What tells a file from the one that replaces it, without reading either.
struct FileStamp: Hashable, Sendable {
  private let seconds: Int
  private let nanoseconds: Int
  private let inode: UInt
  private let size: Int

  /// `nil` where the file is not there, or cannot be seen.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
  }
}
