package enum LockHolder {
  private static let mostBytes = 1024 * 1024

  /// For example `process 4711, seedbank`; `nil` if unknown, as in a container or on Apple's systems.
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
