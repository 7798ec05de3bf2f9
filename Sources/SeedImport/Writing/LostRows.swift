import SeedDatabase

/// Deletes rows that the import makes obsolete: rows that their parents no longer name and, in tables with a mode
/// that deletes, rows that the import does not mention.
final class LostRows {
  /// Rows of tables that no mapping fills, deleted or changed because they reference deleted rows.
  private(set) var ofOthers: ChangeReport = [:]
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

  var statements: Int { syncs.reduce(0) { $0 + $1.ledger.statements } }

  /// Throws if a table that the import may change has triggers, because the triggers would not run.
  func checkTriggers() throws {
    guard !policy.ignoresTriggers else { return }
    for table in try changeableTables().sorted() {
      let names = try connection.triggers(of: table)
      guard !names.isEmpty else { continue }
      let remedy =
        names.contains { $0.hasPrefix("seedbank_log_") }
        ? "then run VACUUM, so that the publisher compares all rows in its next step" : "or drop them"
      throw ImportFailure(
        .database,
        "table \"\(table)\" has triggers (\(names.map { "\"\($0)\"" }.joined(separator: ", "))), which an import does "
          + "not run: import without them (--ignore-triggers, ImportPolicy.ignoresTriggers), \(remedy)")
    }
  }

  private func changeableTables() throws -> Set<String> {
    let lossy = targets.filter { $0.mode != .merge } + syncs.map(\.target)
    let dependent = try deletion.dependents(of: lossy.map(\.table.name))
    let tables = dependent.union(targets.map(\.table.name))
    guard policy.references == .null else { return tables }
    let references = ReferencePolicy(
      connection: connection, policy: policy.references, issues: issues, targets: targets)
    return tables.union(try references.clearableTables(changing: tables))
  }

  /// Starts to record mentioned rows in tables whose other rows may be deleted.
  func begin() throws {
    let lossy = targets.filter { $0.mode != .merge }.map(\.table.name)
    let dependent = try deletion.dependents(of: lossy)
    for (number, target) in targets.enumerated() {
      guard target.mode != .merge || dependent.contains(target.table.name) else { continue }
      target.seen = try SeenKeys(target.table, number: number, connection)
      target.rowsBefore = try rowCount(target.table.name)
    }
  }

  func drop() throws {
    for target in targets { try target.seen?.drop() }
    for sync in syncs { try sync.ledger.drop() }
  }

  /// Deletes rows that the latest objects of their parents do not name. Called at the end, and once before waiting
  /// rows are retried, because waiting rows may need unique values of deleted rows.
  func removeParentless(isLast: Bool) throws {
    for sync in syncs where sync.ledger.hasParents {
      try deletion.list(sync.target.table.name, sync.ledger.lost)
      if isLast { try sync.ledger.clear() }
    }
    try delete()
  }

  /// In tables with a mode that deletes, deletes the rows that the import does not mention. Skips `absent` tables,
  /// for which a list is missing. A mentioned row that references a deleted row stays, with a broken reference, as if
  /// the database had been empty before.
  func removeUnmentioned(absent: Set<String>) throws {
    deletion.mayFollow = { [targets] reference in Self.mayFollow(reference, targets) }
    defer { deletion.mayFollow = { _ in nil } }
    let lost = Set(targets.filter(\.hasLostKeys).map(\.table.name))
    for target in targets where target.mode != .merge {
      // Deletion might cascade to rows of the import whose keys are unknown.
      let isUncertain =
        try target.hasLostKeys || !lost.isDisjoint(with: deletion.dependents(of: [target.table.name]))
      try listUnmentioned(
        of: target, isAbsent: absent.contains(target.table.name), isUncertain: isUncertain)
    }
    try delete()
  }

  /// The condition that spares mentioned rows, if the reference cascades or the import fills it; else `nil`.
  private static func mayFollow(_ reference: ForeignKeySchema, _ targets: [ImportTarget]) -> String? {
    guard let target = targets.first(where: { $0.table.name == reference.table }),
      reference.onDelete == "CASCADE" || target.fills(reference.columns)
    else { return nil }
    return target.seen?.isUnmentioned
  }

  private func listUnmentioned(of target: ImportTarget, isAbsent: Bool, isUncertain: Bool) throws {
    guard let seen = target.seen else { return }
    if let reason = isAbsent
      ? "the documents lack a list of the table" : isUncertain ? "a rejected row's key is not known" : nil
    {
      let message = "rows that the import does not mention were kept: \(reason)"
      return issues.note(RejectedRow(.notDeleted, message), target.table.name)
    }
    try deletion.list(target.table.name, "FROM \(quoted(target.table.name)) WHERE \(seen.isUnmentioned)")
  }

  /// Throws if a table lost too many rows (cascades count), or lost any although the import has no rows for it.
  func checkShrink() throws {
    guard !policy.acceptsShrink, targets.contains(where: { $0.mode != .merge }) else { return }
    for target in targets where target.seen != nil && target.deleted > 0 {
      let isEmptied = try target.mode != .merge && target.seen?.isEmpty == true
      try checkShrink(target.table.name, before: target.rowsBefore, isEmptied: isEmptied)
    }
    for (table, changes) in ofOthers where changes.deleted > 0 {
      try checkShrink(table, before: changes.deleted + rowCount(table))
    }
  }

  private func checkShrink(_ table: String, before: Int, isEmptied: Bool = false) throws {
    let after = try rowCount(table)
    guard isEmptied || ShrinkGuard().holdsBack(from: before, to: after) else { return }
    throw ImportFailure(
      .shrunk,
      "\(ShrunkTable(name: table, before: before, after: after)), because the import does not mention the other "
        + "rows, or a row that they reference: check the documents and each 'where' of the mapping. If this is intended, "
        + "accept it (--accept-shrink, ImportPolicy.acceptsShrink)")
  }

  private func rowCount(_ table: String) throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0)
  }

  func note(_ report: ChangeReport) {
    for (table, changes) in report {
      guard let target = targets.first(where: { $0.table.name == table }) else {
        ofOthers.merge([table: changes], uniquingKeysWith: +)
        continue
      }
      target.deleted += changes.deleted
      target.cleared += changes.updated
      target.recent.clear()
    }
  }

  private func delete() throws { note(try deletion.run()) }
}
