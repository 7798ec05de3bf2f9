import SeedDatabase
import SeedFormat

/// Bytes that a row's values need besides the document's own: digits, decoded base64, a closure's.
///
/// Blocks never move, so what was lent stays good until ``clear()``.
final class LentBytes {
  @exclusivity(unchecked) private var blocks: [UnsafeMutableRawBufferPointer] = []
  @exclusivity(unchecked) private var current = 0
  @exclusivity(unchecked) private var used = 0
  /// Bytes in all blocks.
  @exclusivity(unchecked) private var lent = 0

  /// Bytes of a block; a longer value gets one of its own size.
  private static let blockBytes = 16 * 1024

  /// Whether more is lent than should wait in memory.
  var isLarge: Bool { lent >= Self.largeBytes }

  /// Bytes beyond which rows do not wait for others any more.
  private static let largeBytes = 256 * 1024

  deinit { for block in blocks { block.deallocate() } }

  /// Forgets the content; of the memory, the first block is kept.
  func clear() {
    (current, used, lent) = (0, 0, 0)
    guard blocks.count > 1 else { return }
    for block in blocks[1...] { block.deallocate() }
    blocks.removeSubrange(1...)
  }

  /// Room for `count` bytes.
  func room(_ count: Int) -> UnsafeMutableRawBufferPointer {
    while current < blocks.count, used + count > blocks[current].count { (current, used) = (current + 1, 0) }
    if current == blocks.count {
      blocks.append(.allocate(byteCount: max(count, Self.blockBytes), alignment: 8))
    }
    defer { (used, lent) = (used + count, lent + count) }
    return UnsafeMutableRawBufferPointer(rebasing: blocks[current][used..<used + count])
  }

  /// A copy of `bytes`.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt8> {
    let room = room(bytes.count)
    room.copyMemory(from: bytes)
    return UnsafeBufferPointer(room.bindMemory(to: UInt8.self))
  }

  /// A value whose bytes are kept here.
  func lend(_ value: SeedValue) -> BorrowedValue {
    switch value {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .text(var text): return .text(text.withUTF8 { copy(UnsafeRawBufferPointer($0)) })
    case .blob(let bytes): return .blob(bytes.withUnsafeBytes { copy($0) })
    }
  }
}
