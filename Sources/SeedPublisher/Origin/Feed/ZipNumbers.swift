import SeedSystem

extension ZipDirectory {
  /// Bytes with numbers of the little end first.
  struct Bytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    func text(_ place: Int, _ count: Int) -> String {
      String(decoding: bytes[place..<place + count], as: UTF8.self)
    }

    /// The last place of a mark behind which there are so many bytes at least.
    func last(_ mark: UInt32, endBytes: Int) -> Int? {
      guard count >= endBytes else { return nil }
      return (0...count - endBytes).last { number($0, 4) == Int(mark) }
    }
  }
}

extension ZipDirectory {
  /// Where an archive's directory lies, and of how many members it tells.
  struct Place {
    let count: Int
    let size: Int
    let offset: Int

    /// In ZIP64, the end that all archives have says that another one before it has the numbers.
    private static let (locatorBytes, recordBytes) = (20, 56)
    private static let (locatorMark, recordMark) = (0x0706_4B50, 0x0606_4B50)

    init(_ tail: Bytes, _ end: Int, _ file: borrowing File, _ path: String) throws {
      let locator = end - Self.locatorBytes
      guard locator >= 0, tail.number(locator, 4) == Self.locatorMark else {
        guard tail.number(end + 4, 2) == 0 else { throw Self.parts(path) }
        (count, size) = (tail.number(end + 10, 2), tail.number(end + 12, 4))
        offset = tail.number(end + 16, 4)
        return
      }
      let place = tail.number(locator + 8, 8)
      guard place >= 0, tail.number(locator + 16, 4) <= 1 else { throw Self.parts(path) }
      let record = Bytes(try file.read(Self.recordBytes, at: place))
      guard record.count == Self.recordBytes, record.number(0, 4) == Self.recordMark else {
        throw FeedError.archive(path: path, "its directory is damaged")
      }
      guard record.number(16, 4) == 0 else { throw Self.parts(path) }
      (count, size, offset) = (record.number(32, 8), record.number(40, 8), record.number(48, 8))
    }

    private static func parts(_ path: String) -> FeedError {
      .archive(path: path, "it is in several parts: make it anew as one")
    }
  }
}

extension ZipDirectory.Bytes {
  /// In place of a number that has no room in an entry.
  private static let elsewhere = 0xFFFF_FFFF
  /// Bytes that any file may have: what a number says beyond is a mistake, and no room to calculate in.
  private static let mostBytes = 1 << 60
  /// The part of an entry that has such numbers.
  private static let longNumbers = 1

  /// What an entry of the directory says of its member; `nil` where a number is missing.
  func sizes(ofEntryAt place: Int) -> (packed: Int, size: Int, offset: Int)? {
    var rest = longNumbers(ofEntryAt: place)
    func long(_ offset: Int) -> Int? {
      let short = number(place + offset, 4)
      guard short == Self.elsewhere else { return short }
      return rest.isEmpty ? nil : rest.removeFirst()
    }
    // In this order they stand where there is room for them.
    guard let size = long(24), let packed = long(20), let offset = long(42),
      [size, packed, offset].allSatisfy((0...Self.mostBytes).contains)
    else { return nil }
    return (packed, size, offset)
  }

  private func longNumbers(ofEntryAt place: Int) -> [Int] {
    var part = place + 46 + number(place + 28, 2)
    let end = part + number(place + 30, 2)
    while part + 4 <= end {
      let length = number(part + 2, 2)
      guard part + 4 + length <= end else { return [] }
      if number(part, 2) == Self.longNumbers {
        return (0..<length / 8).map { number(part + 4 + 8 * $0, 8) }
      }
      part += 4 + length
    }
    return []
  }
}
