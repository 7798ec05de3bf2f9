/// A block of bytes that is filled again and again, and lends what is in it.
///
/// What it lends is good until it is cleared or has to grow: so ``reserve(_:)`` comes before the first loan.
package struct ByteBlock: ~Copyable {
  private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes in the block.
  package private(set) var count = 0

  private static let initialBytes = 1024

  /// An empty block.
  package init() {
    capacity = Self.initialBytes
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// Forgets the content, not the memory.
  package mutating func clear() { count = 0 }

  /// Makes sure that `more` bytes can be added without moving those that are there.
  package mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(count + more, 2 * capacity)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }

  /// Adds up to `limit` bytes, for which there is room; `fill` says how many it wrote, or `nil` to add none.
  package mutating func append(_ limit: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int?) -> Range<Int>? {
    precondition(count + limit <= capacity, "more bytes than were reserved")
    guard let written = fill(bytes + count) else { return nil }
    defer { count += written }
    return count..<count + written
  }

  /// Lends a part of the content.
  package subscript(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Copies the texts and blobs of values into the block, emptied before, and lends them.
  package mutating func lend(_ values: [SeedValue]) -> [BorrowedValue] {
    clear()
    reserve(values.reduce(0) { $0 + $1.byteCount })
    return values.map { lend($0) }
  }

  /// Copies the texts and blobs of some of a row's lent values into the block, emptied before, and lends them anew.
  package mutating func keep(
    _ columns: [Int], of row: [BorrowedValue], in kept: inout [BorrowedValue]
  ) {
    clear()
    var count = 0
    for column in columns { count += row[column].byteCount }
    reserve(count)
    kept.removeAll(keepingCapacity: true)
    for column in columns {
      switch row[column] {
      case .null: kept.append(.null)
      case .integer(let value): kept.append(.integer(value))
      case .real(let value): kept.append(.real(value))
      case .text(let bytes): kept.append(.text(copy(UnsafeRawBufferPointer(bytes))))
      case .blob(let bytes): kept.append(.blob(copy(UnsafeRawBufferPointer(bytes))))
      }
    }
  }

  private mutating func lend(_ value: SeedValue) -> BorrowedValue {
    switch value {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .text(var text): return .text(text.withUTF8 { copy(UnsafeRawBufferPointer($0)) })
    case .blob(let bytes): return .blob(bytes.withUnsafeBytes { copy($0) })
    }
  }

  /// Copies bytes for which there is room.
  package mutating func copy(_ source: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt8> {
    let start = count
    if let address = source.baseAddress {
      UnsafeMutableRawPointer(bytes + start).copyMemory(from: address, byteCount: source.count)
    }
    count += source.count
    return self[start..<count]
  }
}

extension SeedValue {
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    default: 0
    }
  }
}

extension BorrowedValue {
  fileprivate var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    default: 0
    }
  }
}
