// In some builds the times of a file are seen as part of this module, whose headers come first.
internal import CMicroHTTPD
internal import Glibc

/// What a file was at some moment: whether it is that still, a look at its name tells.
struct FileIdentity: Hashable, Sendable {
  private let path: String
  private let device: UInt
  private let number: UInt
  private let length: Int
  private let modified: [Int]

  init(_ path: String, _ status: stat) {
    self.path = path
    (device, number, length) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Whether the file of that name is still the same one, with nothing written to it.
  var isCurrent: Bool {
    var status = stat()
    return lstat(path, &status) == 0 && FileIdentity(path, status) == self
  }
}
