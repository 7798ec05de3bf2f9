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
  private let modifiedNanoseconds: Int
  /// Seconds since 1970.
  package let modifiedSeconds: Int

  /// `nil` where there is no such file.
  package init?(_ path: String) throws(FileError) {
    var status = stat()
    if stat(path, &status) != 0 {
      if errno == ENOENT { return nil }
      throw FileError("stat", path)
    }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Glibc)
    let time = status.st_mtim
    #else
    let time = status.st_mtimespec
    #endif
    modifiedSeconds = time.tv_sec
    modifiedNanoseconds = time.tv_nsec
  }
}
