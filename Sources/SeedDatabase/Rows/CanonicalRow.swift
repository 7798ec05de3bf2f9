package import SeedFormat

/// The form in which rows are compared and hashed: the stored columns in declared order. Each value is a type
/// byte and, unless it is NULL, its content. An INTEGER, or a REAL's bit pattern, takes 8 big-endian bytes.
/// TEXT (as UTF-8) and BLOB have an 8-byte big-endian length before their bytes.
package enum CanonicalRow {
  enum Tag {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4
  }

  private static let wordBytes = 1 + MemoryLayout<UInt64>.size

  static func size(of row: UnsafeBufferPointer<BorrowedValue>) -> Int {
    row.reduce(0) { $0 + ($1.isNull ? 1 : wordBytes + $1.byteCount) }
  }

  /// Writes a row to memory of at least ``size(of:)`` bytes.
  static func write(_ row: UnsafeBufferPointer<BorrowedValue>, to memory: UnsafeMutableRawPointer) {
    var place = memory
    for value in row {
      switch value {
      case .null: write(Tag.null, to: &place)
      case .integer(let value): write(Tag.integer, UInt64(bitPattern: value), to: &place)
      case .real(let value): write(Tag.real, value.bitPattern, to: &place)
      case .text(let bytes): write(Tag.text, bytes, to: &place)
      case .blob(let bytes): write(Tag.blob, bytes, to: &place)
      }
    }
  }

  /// The bytes before a value's `content`.
  static func head(of value: BorrowedValue) -> [UInt8] {
    let word: (tag: UInt8, value: UInt64)
    switch value {
    case .null: return [Tag.null]
    case .integer(let value): word = (Tag.integer, UInt64(bitPattern: value))
    case .real(let value): word = (Tag.real, value.bitPattern)
    case .text(let bytes): word = (Tag.text, UInt64(bytes.count))
    case .blob(let bytes): word = (Tag.blob, UInt64(bytes.count))
    }
    return withUnsafeBytes(of: word.value.bigEndian) { [word.tag] + $0 }
  }

  private static func write(_ tag: UInt8, to place: inout UnsafeMutableRawPointer) {
    place.storeBytes(of: tag, as: UInt8.self)
    place += 1
  }

  private static func write(_ tag: UInt8, _ word: UInt64, to place: inout UnsafeMutableRawPointer) {
    write(tag, to: &place)
    place.storeBytes(of: word.bigEndian, as: UInt64.self)
    place += MemoryLayout<UInt64>.size
  }

  private static func write(
    _ tag: UInt8, _ content: UnsafeBufferPointer<UInt8>, to place: inout UnsafeMutableRawPointer
  ) {
    write(tag, UInt64(content.count), to: &place)
    guard let address = content.baseAddress else { return }
    place.copyMemory(from: address, byteCount: content.count)
    place += content.count
  }

  /// Replaces the buffer's contents with a row's canonical bytes.
  package static func write(lent row: [BorrowedValue], over bytes: inout [UInt8]) {
    row.withUnsafeBufferPointer { row in
      let surplus = bytes.count - size(of: row)
      if surplus > 0 { bytes.removeLast(surplus) }
      if surplus < 0 { bytes.append(contentsOf: repeatElement(0, count: -surplus)) }
      bytes.withUnsafeMutableBytes { if let memory = $0.baseAddress { write(row, to: memory) } }
    }
  }

  /// Borrows the values of the row at `offset` and advances `offset` past them.
  static func values(
    _ count: Int, in bytes: UnsafeBufferPointer<UInt8>, at offset: inout Int
  ) -> [BorrowedValue] { (0..<count).map { _ in value(in: bytes, at: &offset) } }

  private static func value(in bytes: UnsafeBufferPointer<UInt8>, at offset: inout Int) -> BorrowedValue {
    let tag = bytes[offset]
    offset += 1
    guard tag != Tag.null else { return .null }
    let word = UInt64(
      bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    offset += MemoryLayout<UInt64>.size
    if tag == Tag.integer { return .integer(Int64(bitPattern: word)) }
    if tag == Tag.real { return .real(Double(bitPattern: word)) }
    let content = UnsafeBufferPointer(rebasing: bytes[offset..<offset + Int(word)])
    offset += content.count
    return tag == Tag.text ? .text(content) : .blob(content)
  }
}
