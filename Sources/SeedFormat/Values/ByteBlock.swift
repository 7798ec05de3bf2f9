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
}
