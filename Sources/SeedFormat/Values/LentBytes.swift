/// Reusable memory for texts and blobs that are lent as ``BorrowedValue``. Its blocks do not move until ``clear()``.
package final class LentBytes {
  @exclusivity(unchecked) private var blocks: [UnsafeMutableRawBufferPointer] = []
  @exclusivity(unchecked) private var current = 0
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) package private(set) var count = 0

  /// Bytes of a block; a longer value gets a block of its own.
  private static let blockBytes = 16 * 1024

  package init() {}

  deinit { for block in blocks { block.deallocate() } }

  /// ``clear()`` keeps the first block if it has at most this many bytes.
  private static let keptBytes = 1024 * 1024

  /// Discards the content. Keeps the first block unless it is very large.
  package func clear() {
    (current, used, count) = (0, 0, 0)
    let kept = blocks.first.map { $0.count <= Self.keptBytes ? 1 : 0 } ?? 0
    guard blocks.count > kept else { return }
    for block in blocks[kept...] { block.deallocate() }
    blocks.removeSubrange(kept...)
  }

  package func room(_ size: Int) -> UnsafeMutableRawBufferPointer {
    while current < blocks.count, used + size > blocks[current].count { (current, used) = (current + 1, 0) }
    if current == blocks.count {
      blocks.append(.allocate(byteCount: max(size, Self.blockBytes), alignment: 8))
    }
    defer { (used, count) = (used + size, count + size) }
    return UnsafeMutableRawBufferPointer(rebasing: blocks[current][used..<used + size])
  }

  /// Lends up to `limit` bytes; `write` returns the number written, or nil to lend nothing.
  package func fill(
    _ limit: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int?
  ) -> UnsafeBufferPointer<UInt8>? {
    let room = room(limit).bindMemory(to: UInt8.self)
    let written = room.baseAddress.map(write) ?? 0
    let unused = limit - (written ?? 0)
    (used, count) = (used - unused, count - unused)
    return written.map { UnsafeBufferPointer(rebasing: room[..<$0]) }
  }

  package func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let room = room(bytes.count)
    room.copyMemory(from: UnsafeRawBufferPointer(bytes))
    return UnsafeBufferPointer(room.bindMemory(to: UInt8.self))
  }

  package func copy(_ value: BorrowedValue) -> BorrowedValue {
    switch value {
    case .text(let bytes): .text(copy(bytes))
    case .blob(let bytes): .blob(copy(bytes))
    case .null, .integer, .real: value
    }
  }

  package func lend(_ value: SeedValue) -> BorrowedValue { value.withBorrowed { copy($0) } }

  /// Discards all earlier content, and lends a row.
  package func lend(_ row: [SeedValue]) -> [BorrowedValue] {
    clear()
    return row.map { lend($0) }
  }

  package static func lending<Result>(
    _ row: [SeedValue], _ body: ([BorrowedValue]) throws -> Result
  ) rethrows -> Result {
    let bytes = LentBytes()
    return try withExtendedLifetime(bytes) { try body(bytes.lend(row)) }
  }

  /// Discards all earlier content, and lends copies of some of a row's columns.
  package func keep(_ columns: [Int], of row: [BorrowedValue], in kept: inout [BorrowedValue]) {
    clear()
    kept.removeAll(keepingCapacity: true)
    for column in columns { kept.append(copy(row[column])) }
  }
}
