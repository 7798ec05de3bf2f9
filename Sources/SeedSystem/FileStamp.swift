/// Identifies a file and detects changes without reading its content.
package struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  package let size: Int
  /// False for folders, pipes and devices.
  package let isRegular: Bool
  package let isOpenToOthers: Bool
  let owner: uid_t
  private let modifiedNanoseconds: Int
  /// Seconds since 1970 of the last change to content, name or owner. Unlike the modification time, it cannot be set.
  package let changedSeconds: Int
  private let changedNanoseconds: Int
  package let modifiedSeconds: Int

  package var text: String {
    [
      "\(device)", "\(inode)", "\(size)", "\(modifiedSeconds).\(modifiedNanoseconds)",
      "\(changedSeconds).\(changedNanoseconds)",
    ].joined(separator: " ")
  }

  package var ownerName: String { userName(owner) }

  package var identity: String { "\(device) \(inode)" }

  /// The file's name in `/proc/locks`: the device's major and minor number in hexadecimal, and the inode.
  var lockedFile: String {
    let numbers = [device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00].map { number in
      (number < 16 ? "0" : "") + String(number, radix: 16)
    }
    return "\(numbers[0]):\(numbers[1]):\(inode)"
  }

  package func isOfSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

  /// Whether the file's last change is later than that of `other`. Moving the file to its path is a change,
  /// even if the content is older.
  package func isChanged(after other: FileStamp) -> Bool {
    (changedSeconds, changedNanoseconds) > (other.changedSeconds, other.changedNanoseconds)
  }

  /// Returns nil if the file is missing.
  package init?(_ path: String) throws(FileError) {
    var status = stat()
    if stat(path, &status) != 0 {
      if errno == ENOENT { return nil }
      throw FileError("stat", path)
    }
    self.init(status)
  }

  init(_ status: stat) {
    // Signed on Apple's systems, and possibly negative.
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isOpenToOthers = status.st_mode & 0o077 != 0
    owner = status.st_uid
    #if canImport(Darwin)
    let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    (changedSeconds, changedNanoseconds) = (changed.tv_sec, changed.tv_nsec)
    (modifiedSeconds, modifiedNanoseconds) = (modified.tv_sec, modified.tv_nsec)
  }
}

package enum LockHolder {
  private static let mostBytes = 1024 * 1024

  /// Names the holder, as in `process 4711, seedbank`; `nil` if unknown, as in a container or on Apple's systems.
  package static func name(of path: String) -> String? {
    guard let file = try? FileStamp(path)?.lockedFile,
      let locks = try? File("/proc/locks", for: .reading).read(mostBytes),
      let number = process(holding: file, in: String(decoding: locks, as: UTF8.self))
    else { return nil }
    let name = (try? File("/proc/\(number)/comm", for: .reading).read(mostBytes)) ?? []
    return "process \(number), \(String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))"
  }

  /// A line is `1: FLOCK  ADVISORY  WRITE 4711 08:01:131234 0 EOF`; a waiting process has `->` after the number.
  static func process(holding file: String, in locks: String) -> Int? {
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 5, words[1] == "FLOCK", words[5] == file {
        return Int(words[4]).flatMap { $0 > 0 ? $0 : nil }
      }
    }
    return nil
  }
}
