package import SeedFormat

/// Records changes to a table's rows for reference checks, search tables and reports of changed keys.
final class RowWatch {
  /// Keys of written rows, if the table references others.
  let written: RowLog?
  /// Old values of columns that other tables reference.
  let removed: [RowLog]
  private let searches: [SearchIndex]
  private let keys: KeyLog?

  var changedKeys: ChangedKeys? { keys?.keys }

  /// Returns nil if there is nothing to record.
  init?(_ table: TableSchema, referenced: [[Int]], _ searches: [SearchIndex], _ keys: KeyLog?) {
    let isChild = !table.foreignKeys.isEmpty
    guard isChild || !referenced.isEmpty || !searches.isEmpty || keys != nil else { return nil }
    written = isChild ? RowLog(columns: table.key) : nil
    removed = referenced.map { RowLog(columns: $0) }
    self.searches = searches
    self.keys = keys
  }

  typealias Before = (referenced: [[UInt8]], images: [SearchIndex.Image?], key: [SeedValue]?)

  func before(_ row: [BorrowedValue]) throws -> Before {
    try row.withUnsafeBufferPointer { row in
      (
        referenced: removed.map { $0.isOverfull ? [] : $0.describe(row) },
        images: try searches.map { try $0.image(row) }, key: keys?.key(of: row)
      )
    }
  }

  func noteInsertion(_ row: UnsafeBufferPointer<BorrowedValue>) throws {
    written?.add(row)
    if let keys { keys.noteInsertion(keys.key(of: row)) }
    for search in searches { try search.replace(nil, row) }
  }

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

  func noteDeletion(_ before: Before) throws {
    if let key = before.key { keys?.noteDeletion(key) }
    for (log, old) in zip(removed, before.referenced) { log.add(old) }
    for (search, image) in zip(searches, before.images) { try search.replace(image, nil) }
  }
}

/// Columns of touched rows as canonical bytes, up to a limit.
final class RowLog {
  let columns: [Int]
  private(set) var count = 0
  var isEmpty: Bool { count == 0 && !isOverfull }
  /// True if the limit was exceeded; the log is then empty.
  private(set) var isOverfull = false
  private var bytes: [UInt8] = []

  /// In bytes. Beyond this size, checking all rows costs no more than checking those in the log.
  private static let capacity = 1024 * 1024

  init(columns: [Int]) { self.columns = columns }

  func describe(_ row: UnsafeBufferPointer<BorrowedValue>) -> [UInt8] {
    var description: [UInt8] = []
    CanonicalRow.write(lent: columns.map { row[$0] }, over: &description)
    return description
  }

  func add(_ row: UnsafeBufferPointer<BorrowedValue>) { if !isOverfull { add(describe(row)) } }

  func add(_ description: [UInt8]) {
    guard !isOverfull, bytes.count + description.count <= Self.capacity else {
      (isOverfull, bytes, count) = (true, [], 0)
      return
    }
    bytes += description
    count += 1
  }

  /// Borrows each row's values.
  func forEach(_ body: ([BorrowedValue]) throws -> Void) throws {
    try bytes.withUnsafeBufferPointer { bytes in
      var offset = 0
      while offset < bytes.count { try body(CanonicalRow.values(columns.count, in: bytes, at: &offset)) }
    }
  }
}

package struct ChangedKeys: Hashable, Sendable {
  /// Keys as values in the key's order.
  package var inserted: [[SeedValue]] = []
  package var updated: [[SeedValue]] = []
  package var deleted: [[SeedValue]] = []

  package init() {}
}

/// Records the keys of changed rows, up to a limit. A row deleted and reinserted with the same key counts as updated,
/// because rows swap unique values in that way.
final class KeyLog {
  private enum Kind { case inserted, updated, deleted }

  private let key: [Int]
  private let limit: Int
  private var kinds: [[SeedValue]: Kind] = [:]
  private var order: [[SeedValue]] = []
  private var isOverfull = false

  init(key: [Int], limit: Int) {
    self.key = key
    self.limit = limit
  }

  var keys: ChangedKeys? {
    guard !isOverfull else { return nil }
    var keys = ChangedKeys()
    for key in order {
      switch kinds[key] {
      case .inserted: keys.inserted.append(key)
      case .updated: keys.updated.append(key)
      case .deleted: keys.deleted.append(key)
      case nil: break
      }
    }
    return keys
  }

  func key(of row: UnsafeBufferPointer<BorrowedValue>) -> [SeedValue] { key.map { row[$0].owned } }

  func noteInsertion(_ key: [SeedValue]) { note(key, kinds[key] == .deleted ? .updated : .inserted) }

  /// An update may replace the key with another spelling that its collation considers equal.
  func noteUpdate(_ old: [SeedValue], _ new: [SeedValue]) {
    guard old == new else {
      noteDeletion(old)
      return noteInsertion(new)
    }
    note(new, kinds[new] == .inserted ? .inserted : .updated)
  }

  func noteDeletion(_ key: [SeedValue]) {
    guard kinds[key] != .inserted else { return forget(key) }
    note(key, .deleted)
  }

  private func note(_ key: [SeedValue], _ kind: Kind) {
    guard !isOverfull, kinds[key] != nil || order.count < limit else {
      (isOverfull, kinds, order) = (true, [:], [])
      return
    }
    if kinds.updateValue(kind, forKey: key) == nil { order.append(key) }
  }

  private func forget(_ key: [SeedValue]) {
    kinds[key] = nil
    order.removeAll { $0 == key }
  }
}
