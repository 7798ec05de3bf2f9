import SeedFormat

/// Sees what becomes of single rows of a table, for those who have to follow: references, search tables, and whoever
/// asked for the keys.
final class RowWatch {
  /// Keys of rows that were written, where the table references others.
  let written: RowLog?
  /// Values that are no longer there, of columns that others reference.
  let removed: [RowLog]
  private let searches: [SearchIndex]
  private let keys: KeyLog?

  /// The keys of what was changed, where they are kept and were not too many.
  var changedKeys: ChangedKeys? { keys?.keys }

  /// `nil` where nobody has to follow.
  init?(_ layout: TableLayout, referenced: [[Int]], _ searches: [SearchIndex], _ keys: KeyLog?) {
    let isChild = !layout.logical.foreignKeys.isEmpty
    guard isChild || !referenced.isEmpty || !searches.isEmpty || keys != nil else { return nil }
    written = isChild ? RowLog(columns: layout.logical.key) : nil
    removed = referenced.map { RowLog(columns: $0) }
    self.searches = searches
    self.keys = keys
  }

  /// A row as it was before it is written or deleted.
  struct Before {
    fileprivate let referenced: [[UInt8]]
    fileprivate let images: [SearchIndex.Image?]
    fileprivate let key: [SeedValue]?
  }

  /// The row as it is, while it is still there.
  func before(_ row: [BorrowedValue]) throws -> Before {
    try row.withUnsafeBufferPointer { row in
      Before(
        referenced: removed.map { $0.isOverfull ? [] : $0.describe(row) },
        images: try searches.map { try $0.image(row) }, key: keys?.key(of: row))
    }
  }

  /// Says that the row was added.
  func noteInsertion(_ row: UnsafeBufferPointer<BorrowedValue>) throws {
    written?.add(row)
    if let keys { keys.noteInsertion(keys.key(of: row)) }
    for search in searches { try search.replace(nil, row) }
  }

  /// Says that the row took the place of another with its key.
  func noteUpdate(_ before: Before, _ row: [BorrowedValue]) throws {
    try row.withUnsafeBufferPointer { row in
      written?.add(row)
      if let keys, let key = before.key { keys.noteUpdate(key, keys.key(of: row)) }
      for (log, old) in zip(removed, before.referenced) where !log.isOverfull && log.describe(row) != old {
        log.add(old)
      }
      for (search, image) in zip(searches, before.images) { try search.replace(image, row) }
    }
  }

  /// Says that the row is gone.
  func noteDeletion(_ before: Before) throws {
    if let key = before.key { keys?.noteDeletion(key) }
    for (log, old) in zip(removed, before.referenced) { log.add(old) }
    for (search, image) in zip(searches, before.images) { try search.replace(image, nil) }
  }
}
