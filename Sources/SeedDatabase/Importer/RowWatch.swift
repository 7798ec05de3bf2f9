import SeedFormat

/// Sees what becomes of single rows of a table, for those who have to follow: references and search tables.
final class RowWatch {
  /// Keys of rows that were written, where the table references others.
  let written: RowLog?
  /// Values that are no longer there, of columns that others reference.
  let removed: [RowLog]
  private let searches: [SearchIndex]

  /// `nil` where nobody has to follow.
  init?(_ layout: TableLayout, referenced: [[Int]], _ searches: [SearchIndex]) {
    let isChild = !layout.logical.foreignKeys.isEmpty
    guard isChild || !referenced.isEmpty || !searches.isEmpty else { return nil }
    written = isChild ? RowLog(columns: layout.logical.key) : nil
    removed = referenced.map { RowLog(columns: $0) }
    self.searches = searches
  }

  /// A row as it was before it is written or deleted.
  struct Before {
    fileprivate let referenced: [[UInt8]]
    fileprivate let images: [SearchIndex.Image?]
  }

  /// The row as it is, while it is still there.
  func before(_ row: [BorrowedValue]) throws -> Before {
    try row.withUnsafeBufferPointer { row in
      Before(
        referenced: removed.map { $0.isOverfull ? [] : $0.describe(row) },
        images: try searches.map { try $0.image(row) })
    }
  }

  /// Says that the row was added.
  func noteInsertion(_ row: UnsafeBufferPointer<BorrowedValue>) throws {
    written?.add(row)
    for search in searches { try search.replace(nil, row) }
  }

  /// Says that the row took the place of another with its key.
  func noteUpdate(_ before: Before, _ row: [BorrowedValue]) throws {
    try row.withUnsafeBufferPointer { row in
      written?.add(row)
      for (log, old) in zip(removed, before.referenced) where !log.isOverfull && log.describe(row) != old {
        log.add(old)
      }
      for (search, image) in zip(searches, before.images) { try search.replace(image, row) }
    }
  }

  /// Says that the row is gone.
  func noteDeletion(_ before: Before) throws {
    for (log, old) in zip(removed, before.referenced) { log.add(old) }
    for (search, image) in zip(searches, before.images) { try search.replace(image, nil) }
  }
}
