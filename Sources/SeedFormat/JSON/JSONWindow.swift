/// The part of a document in memory: a buffer that grows at its end and is emptied from its start. All positions are
/// document offsets. They stay valid when the buffer moves, and errors report them. Pointers into the buffer are valid
/// until the next ``append(_:keepingFrom:)``.
struct JSONWindow: ~Copyable {
  private var buffer: UnsafeMutableRawBufferPointer
  /// The document offset of the buffer's first byte.
  private(set) var start: Int
  /// The document offset after the last byte.
  private(set) var end: Int
  private(set) var isComplete = false

  /// Initial size in bytes; a longer token or row makes it grow.
  private static let initialBytes = 64 * 1024

  init(at offset: Int = 0) {
    (start, end) = (offset, offset)
    buffer = .allocate(byteCount: Self.initialBytes, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Appends bytes; bytes before `kept` may be discarded.
  mutating func append(_ bytes: UnsafeRawBufferPointer, keepingFrom kept: Int) {
    makeRoom(for: bytes.count, keepingFrom: kept)
    guard let source = bytes.baseAddress else { return }
    UnsafeMutableRawBufferPointer(rebasing: buffer[(end - start)...])
      .copyMemory(from: UnsafeRawBufferPointer(start: source, count: bytes.count))
    end += bytes.count
  }

  mutating func restart() { (start, end, isComplete) = (0, 0, false) }

  mutating func complete() { isComplete = true }

  subscript(_ offset: Int) -> UInt8 { base[offset - start] }

  func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + (range.lowerBound - start), count: range.count)
  }

  var base: UnsafePointer<UInt8> {
    // The buffer has at least ``initialBytes``, so it has an address.
    UnsafePointer(buffer.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
  }

  private mutating func makeRoom(for count: Int, keepingFrom kept: Int) {
    let held = end - kept
    if held + count > buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(held + count, 2 * buffer.count), alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[(kept - start)..<(end - start)]))
      buffer.deallocate()
      buffer = larger
      start = kept
    } else if end - start + count > buffer.count {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[(kept - start)..<(end - start)]))
      start = kept
    }
  }
}
