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

  /// Begins to note which rows the import mentions, where the others are to go.
  func begin() throws {
    for (number, target) in targets.enumerated() where target.mode != .merge {
      target.seen = try SeenKeys(target.table, number: number, connection)
      target.rowsBefore = try target.rowCount()
    }
  }

  func drop() throws {
    for target in targets { try target.seen?.drop() }
    for sync in syncs { try sync.ledger.drop() }
  }

  /// Removes rows that their parents' newest objects do not name.
  func removeParentless() throws {
    for sync in syncs where sync.ledger.hasParents {
      try deletion.list(sync.target.table.name, sync.ledger.lost)
      try sync.ledger.clear()
    }
    try delete()
  }

  /// Removes rows that no row of the import mentions, from tables of which it is to have all; so many rows of its
  /// documents met no condition.
  func removeUnmentioned(_ place: RowPlace, passedOver: Int) throws {
    for target in targets {
      try listUnmentioned(of: target, place)
      if passedOver > 0 { try checkSelection(target) }
    }
    try delete()
  }

  private func listUnmentioned(of target: ImportTarget, _ place: RowPlace) throws {
    guard let seen = target.seen else { return }
    guard !target.hasLostKeys else {
      let message = "rows that the import does not mention were kept: a rejected row's key is not known"
      return try issues.note(RejectedRow(.notDeleted, message), target.table.name, place)
    }
    try deletion.list(target.table.name, seen.others)
    try checkShrink(target)
  }

  private func checkShrink(_ target: ImportTarget) throws {
    let name = target.table.name
    let after = try target.rowCount() - deletion.count(name)
    guard !policy.acceptsShrink, ShrinkGuard().holdsBack(from: target.rowsBefore, to: after) else { return }
    let shrunk = ShrunkTable(name: name, before: target.rowsBefore, after: after)
    throw ImportFailure(
      .shrunk,
      "\(shrunk), because the import does not mention the others. If this is intended, accept it "
        + "(--accept-shrink, ImportPolicy.acceptsShrink)")
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

  private func delete() throws {
    for target in targets where policy.reportsKeys {
      let (table, key) = (target.table.name, target.table.keyNames)
      target.keys.deleted += try deletion.values(key, of: table)
      target.keys.updated += try deletion.clearedValues(key, of: table)
    }
    for (table, changes) in try telling({ try deletion.run() }) {
      if let target = targets.first(where: { $0.table.name.lowercased() == table.lowercased() }) {
        target.deleted += changes.deleted
        target.cleared += changes.updated
        target.recent.clear()
      } else {
        ofOthers[table, default: .init()] += changes
      }
    }
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
