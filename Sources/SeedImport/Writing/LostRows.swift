import SeedDatabase

/// Removes what the import says is gone: rows that their parents no longer name, and rows of whole tables that it does
/// not mention.
final class LostRows {
  /// Rows that went or changed with others, of tables that no mapping fills.
  private(set) var ofOthers: [String: RowDeletion.Changes] = [:]
  private let connection: Connection
  private let targets: [ImportTarget]
  private let syncs: [ParentSync]
  private let policy: ImportPolicy
  private let issues: IssueCollector
  private let deletion: RowDeletion

  init(
    _ connection: Connection, _ targets: [ImportTarget], _ syncs: [ParentSync], _ policy: ImportPolicy,
    _ issues: IssueCollector
  ) {
    (self.connection, self.targets, self.syncs) = (connection, targets, syncs)
    (self.policy, self.issues) = (policy, issues)
    deletion = RowDeletion(connection)
  }

  var tables: [String] { Array(ofOthers.keys) }

  var statements: Int { syncs.reduce(0) { $0 + $1.ledger.statements } }

  /// Begins to note which rows the import mentions, where the others are to go, or may have to go with them.
  func begin() throws {
    let lossy = targets.filter { $0.mode != .merge }.map(\.table.name)
    let dependent = try deletion.dependents(of: lossy)
    for (number, target) in targets.enumerated() {
      guard target.mode != .merge || dependent.contains(target.table.name.lowercased()) else { continue }
      target.seen = try SeenKeys(target.table, number: number, connection)
      target.rowsBefore = try rowCount(target.table.name)
    }
  }

  func drop() throws {
    for target in targets { try target.seen?.drop() }
    for sync in syncs { try sync.ledger.drop() }
  }

  /// Removes rows that their parents' newest objects do not name; for the last time, or once before rows that wait come
  /// again, for what goes may have the values that they wait for.
  func removeParentless(isLast: Bool) throws {
    for sync in syncs where sync.ledger.hasParents {
      try deletion.list(sync.target.table.name, sync.ledger.lost)
      if isLast { try sync.ledger.clear() }
    }
    try delete()
  }

  /// Removes rows that no row of the import mentions, from tables of which it is to have all; so many rows of its
  /// documents met no condition, and `absent` are tables no list of which came. A row that the import mentions does not
  /// go with one that it references: what it references is not there, as in a database that is empty before.
  func removeUnmentioned(_ place: RowPlace, passedOver: Int, absent: Set<String>) throws {
    deletion.mayFollow = { [targets] reference in Self.mayFollow(reference, targets) }
    defer { deletion.mayFollow = { _ in nil } }
    for target in targets where target.mode != .merge {
      try listUnmentioned(of: target, place, isAbsent: absent.contains(target.table.name.lowercased()))
      if passedOver > 0 { try checkSelection(target) }
    }
    try delete()
  }

  /// A reference that no document mentions can be cleared in all rows.
  private static func mayFollow(_ reference: StoredReference, _ targets: [ImportTarget]) -> String? {
    guard let target = targets.first(where: { $0.table.name.lowercased() == reference.table.lowercased() }),
      reference.onDelete == "CASCADE" || target.fills(reference.columns)
    else { return nil }
    return target.seen?.isUnmentioned
  }

  private func listUnmentioned(of target: ImportTarget, _ place: RowPlace, isAbsent: Bool) throws {
    guard let seen = target.seen else { return }
    if let reason = isAbsent
      ? "none of its lists came" : target.hasLostKeys ? "a rejected row's key is not known" : nil
    {
      let message = "rows that the import does not mention were kept: \(reason)"
      return issues.note(RejectedRow(.notDeleted, message), target.table.name, place)
    }
    try deletion.list(target.table.name, seen.others)
  }

  /// Throws where a table lost too many rows, be it to others that they referenced.
  func checkShrink() throws {
    guard !policy.acceptsShrink, targets.contains(where: { $0.mode != .merge }) else { return }
    for target in targets where target.seen != nil && target.deleted > 0 {
      try checkShrink(target.table.name, before: target.rowsBefore)
    }
    for (table, changes) in ofOthers where changes.deleted > 0 {
      try checkShrink(table, before: changes.deleted + rowCount(table))
    }
  }

  private func checkShrink(_ table: String, before: Int) throws {
    let after = try rowCount(table)
    guard ShrinkGuard().holdsBack(from: before, to: after) else { return }
    throw ImportFailure(
      .shrunk,
      "\(ShrunkTable(name: table, before: before, after: after)), because the import does not mention the others, or what "
        + "they reference. If this is intended, accept it (--accept-shrink, ImportPolicy.acceptsShrink)")
  }

  private func rowCount(_ table: String) throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0)
  }

  /// Conditions that no row meets are most likely wrong.
  private func checkSelection(_ target: ImportTarget) throws {
    guard target.isSelected, !policy.acceptsShrink, try target.seen?.isEmpty == true else { return }
    let lost = try deletion.count(target.table.name)
    guard lost > 0 else { return }
    throw ImportFailure(
      .shrunk,
      "no row met the 'where' of table \"\(target.table.name)\", and all rows of the table (\(lost)) would go: correct "
        + "the 'where', or accept it (--accept-shrink, ImportPolicy.acceptsShrink)")
  }

  /// References that the policy of references cleared.
  func note(cleared: [String: Int]) {
    for (table, count) in cleared { add(.init(updated: count), to: table) }
  }

  private func add(_ changes: RowDeletion.Changes, to table: String) {
    guard let target = targets.first(where: { $0.table.name.lowercased() == table.lowercased() }) else {
      ofOthers[table, default: .init()] += changes
      return
    }
    target.deleted += changes.deleted
    target.cleared += changes.updated
    target.recent.clear()
  }

  private func delete() throws {
    for target in targets where policy.reportsKeys {
      let (table, key) = (target.table.name, target.table.keyNames)
      target.keys.deleted += try deletion.values(key, of: table)
      target.keys.updated += try deletion.clearedValues(key, of: table)
    }
    for (table, changes) in try telling({ try deletion.run() }) { add(changes, to: table) }
  }

  /// What a trigger says to a deletion is no row's matter: the import does not mention those rows.
  private func telling<Result>(_ deletion: () throws -> Result) throws -> Result {
    do { return try deletion() } catch let error as DatabaseError {
      guard error.code == ResultCode.trigger else { throw error }
      throw ImportFailure(
        .row, "a trigger refused to delete a row that the import does not mention: \(error.message)")
    }
  }
}
