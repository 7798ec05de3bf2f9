/// Tells one file from another, and whether its content may have changed, without reading it.
package struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// Bytes.
  package let size: Int
  /// A file in the narrow sense: no folder, pipe or device.
  package let isRegular: Bool
  /// Others than its owner may read or write it.
  package let isOpenToOthers: Bool
  private let modifiedNanoseconds: Int
  /// When content, name or owner last changed, since 1970: unlike the time of modification, no program can set it.
  package let changedSeconds: Int
  private let changedNanoseconds: Int
  /// Since 1970.
  package let modifiedSeconds: Int

  /// All of it, for a stamp that is kept in a file.
  package var text: String {
    [
      "\(device)", "\(inode)", "\(size)", "\(modifiedSeconds).\(modifiedNanoseconds)",
      "\(changedSeconds).\(changedNanoseconds)",
    ].joined(separator: " ")
  }

  /// Which file it is, whatever it holds.
  package var identity: String { "\(device) \(inode)" }

  /// How Linux names the file in its list of locks: the device's two numbers, in hexadecimal, and the inode.
  var lockedFile: String {
    let numbers = [device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00].map { number in
      (number < 16 ? "0" : "") + String(number, radix: 16)
    }
    return "\(numbers[0]):\(numbers[1]):\(inode)"
  }

  /// True for the same file with other content, too.
  package func isOfSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

  /// Whether the file came to where it is, or was changed in any way, later than the other one: also where its content is old.
  package func isChanged(after other: FileStamp) -> Bool {
    (changedSeconds, changedNanoseconds) > (other.changedSeconds, other.changedNanoseconds)
  }

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
    // Signed on Apple's systems, where it may be negative.
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isOpenToOthers = status.st_mode & 0o077 != 0
    #if canImport(Darwin)
    let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    (changedSeconds, changedNanoseconds) = (changed.tv_sec, changed.tv_nsec)
    (modifiedSeconds, modifiedNanoseconds) = (modified.tv_sec, modified.tv_nsec)
  }
}
