import SeedFormat

/// Some columns of rows that an import touched, as canonical bytes in one block, up to a limit.
final class RowLog {
  /// Which of a row's values are kept.
  let columns: [Int]
  private(set) var count = 0
  /// Whether there were more than the block takes: then nothing is known.
  private(set) var isOverfull = false
  private var bytes: [UInt8] = []

  /// Bytes of the block: so many touched rows that looking at all of them costs no more.
  private static let capacity = 1024 * 1024

  init(columns: [Int]) { self.columns = columns }

  /// The canonical bytes of a row's columns.
  func describe(_ row: UnsafeBufferPointer<BorrowedValue>) -> [UInt8] {
    var description: [UInt8] = []
    CanonicalRow.append(lent: columns.map { row[$0] }, to: &description)
    return description
  }

  func add(_ row: UnsafeBufferPointer<BorrowedValue>) {
    if !isOverfull { add(describe(row)) }
  }

  func add(_ description: [UInt8]) {
    guard !isOverfull, bytes.count + description.count <= Self.capacity else {
      (isOverfull, bytes, count) = (true, [], 0)
      return
    }
    bytes += description
    count += 1
  }

  /// Lends each row's values, until `body` says that it has seen enough.
  func forEach(_ body: ([BorrowedValue]) throws -> Bool) throws {
    try bytes.withUnsafeBufferPointer { bytes in
      var offset = 0
      while offset < bytes.count {
        guard try body(CanonicalRow.values(columns.count, in: bytes, at: &offset)) else { return }
      }
    }
  }
}
