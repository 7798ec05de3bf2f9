import SeedFormat

/// Sees what becomes of single rows of a table.
final class RowWatch {
  struct Before {}
  func before(_ row: [BorrowedValue]) throws -> Before { Before() }
  func noteInsertion(_ row: [BorrowedValue]) throws {}
  func noteUpdate(_ before: Before, _ row: [BorrowedValue]) throws {}
  func noteDeletion(_ before: Before) throws {}
}
