package import SeedFormat

/// The keys of a table's rows that an import changed.
package struct ChangedKeys: Hashable, Sendable {
  /// Each key has its columns' values in the key's order.
  package var inserted: [[SeedValue]] = []
  package var updated: [[SeedValue]] = []
  package var deleted: [[SeedValue]] = []

  package init() {}
}

/// Keeps the keys of what becomes of a table's rows, up to a limit.
///
/// A row that is deleted and comes again with the same key was updated: the importer goes that way where rows
/// exchange unique values.
final class KeyLog {
  private enum Fate { case inserted, updated, deleted }

  private let key: [Int]
  private let limit: Int
  private var fates: [[SeedValue]: Fate] = [:]
  private var order: [[SeedValue]] = []
  private var isOverfull = false

  init(key: [Int], limit: Int) {
    self.key = key
    self.limit = limit
  }

  /// `nil` where there were more than the limit.
  var keys: ChangedKeys? {
    guard !isOverfull else { return nil }
    var keys = ChangedKeys()
    for key in order {
      switch fates[key] {
      case .inserted: keys.inserted.append(key)
      case .updated: keys.updated.append(key)
      case .deleted: keys.deleted.append(key)
      case nil: break
      }
    }
    return keys
  }

  func key(of row: UnsafeBufferPointer<BorrowedValue>) -> [SeedValue] { key.map { row[$0].owned } }

  func noteInsertion(_ key: [SeedValue]) { note(key, fates[key] == .deleted ? .updated : .inserted) }

  /// By its collation a key may be found by another spelling, which then is gone.
  func noteUpdate(_ old: [SeedValue], _ new: [SeedValue]) {
    guard old == new else {
      noteDeletion(old)
      return noteInsertion(new)
    }
    note(new, fates[new] == .inserted ? .inserted : .updated)
  }

  func noteDeletion(_ key: [SeedValue]) {
    guard fates[key] != .inserted else { return forget(key) }
    note(key, .deleted)
  }

  private func note(_ key: [SeedValue], _ fate: Fate) {
    guard !isOverfull, fates[key] != nil || order.count < limit else {
      (isOverfull, fates, order) = (true, [:], [])
      return
    }
    if fates.updateValue(fate, forKey: key) == nil { order.append(key) }
  }

  private func forget(_ key: [SeedValue]) {
    fates[key] = nil
    order.removeAll { $0 == key }
  }
}
