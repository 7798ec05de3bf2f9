import SeedFormat

/// Finds CSV fields in the bytes in memory. Positions count from `base`.
struct RecordScan {
  enum Stop { case delimiter, lineEnd, end, starved, text }

  struct Field {
    var range: Range<Int>
    var isQuoted = false
    /// Whether the text has doubled quotation marks.
    var isDoubled = false
    var stop: Stop
    /// The first byte that is not valid UTF-8.
    var wrong: Int?
  }

  let base: UnsafePointer<UInt8>
  let end: Int
  let isComplete: Bool
  let delimiter: UInt8

  static let quote = UInt8(ascii: "\"")

  @inline(__always)
  func field(_ start: Int) -> Field {
    start < end && base[start] == Self.quote ? quoted(start + 1) : bare(start)
  }

  /// A record's fields. Ends early after a field that is incomplete or followed by text.
  func fields(_ start: Int) -> [Field] {
    var fields = [field(start)]
    while let last = fields.last, last.stop == .delimiter { fields.append(field(last.end + 1)) }
    return fields
  }

  static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// A quotation mark inside an unquoted field is text, as in other CSV readers.
  @inline(__always)
  private func bare(_ start: Int) -> Field {
    var (index, wrong) = (start, Int?.none)
    while true {
      index = skipPlain(index)
      guard index < end else {
        return Field(range: start..<index, stop: isComplete ? .end : .starved, wrong: wrong)
      }
      let byte = base[index]
      if byte == delimiter { return Field(range: start..<index, stop: .delimiter, wrong: wrong) }
      if Self.isLineEnd(byte) { return Field(range: start..<index, stop: .lineEnd, wrong: wrong) }
      guard byte < 0x80 || pass(&index, &wrong) else { return Field(range: start..<index, stop: .starved) }
      if byte < 0x80 { index += 1 }
    }
  }

  private func quoted(_ start: Int) -> Field {
    var field = Field(range: start..<start, isQuoted: true, stop: .starved)
    var index = start
    while true {
      index = skipQuoted(index)
      guard index < end else { return field }
      guard base[index] == Self.quote else {
        guard pass(&index, &field.wrong) else { return field }
        continue
      }
      guard index + 1 < end, base[index + 1] == Self.quote else { break }
      field.isDoubled = true
      index += 2
    }
    field.range = start..<index
    field.stop = behindQuote(index + 1)
    return field
  }

  private func behindQuote(_ index: Int) -> Stop {
    guard index < end else { return isComplete ? .end : .starved }
    if base[index] == delimiter { return .delimiter }
    return Self.isLineEnd(base[index]) ? .lineEnd : .text
  }

  /// Skips a non-ASCII character and records the first invalid byte; returns false if the character is incomplete.
  private func pass(_ index: inout Int, _ wrong: inout Int?) -> Bool {
    let length = utf8SequenceLength(base, index, end)
    guard length >= 0 || isComplete else { return false }
    if length <= 0, wrong == nil { wrong = index }
    index += max(1, length)
    return true
  }

  private static let lowBits: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The first byte from `start` that may end an unquoted field, or is not ASCII.
  @inline(__always)
  private func skipPlain(_ start: Int) -> Int {
    var index = start
    let delimiters = Self.lowBits &* UInt64(delimiter)
    while index &+ 8 <= end {
      let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
      let difference = word ^ delimiters
      // Both line ends are bytes below 0x0E. Strings contain almost no other such bytes.
      let special =
        Self.highBits
        & (word | (word &- Self.lowBits &* 0x0E) & ~word | (difference &- Self.lowBits) & ~difference)
      if special != 0 { return index &+ special.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, base[index] != delimiter, base[index] < 0x80, base[index] >= 0x0E { index &+= 1 }
    return index
  }

  /// The first byte from `start` that is a quotation mark or not ASCII.
  @inline(__always)
  private func skipQuoted(_ start: Int) -> Int {
    var index = start
    while index &+ 8 <= end {
      let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
      let difference = word ^ (Self.lowBits &* UInt64(Self.quote))
      let special = Self.highBits & (word | (difference &- Self.lowBits) & ~difference)
      if special != 0 { return index &+ special.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, base[index] != Self.quote, base[index] < 0x80 { index &+= 1 }
    return index
  }
}

extension RecordScan.Field {
  var end: Int { range.upperBound + (isQuoted ? 1 : 0) }

  var start: Int { range.lowerBound - (isQuoted ? 1 : 0) }
}
