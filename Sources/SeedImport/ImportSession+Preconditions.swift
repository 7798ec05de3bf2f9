import SeedDatabase
import SeedFormat

extension ImportSession {
  /// Throws if the database or the mapping cannot be used for imports.
  static func checkPreconditions(
    _ connection: Connection, _ mapping: ImportMapping, _ policy: ImportPolicy
  ) throws {
    guard !connection.isInTransaction else {
      throw ImportFailure(
        .database, "the connection is in a transaction: end it first; an import opens its own")
    }
    guard try connection.integer("PRAGMA foreign_keys") == 0 else {
      throw ImportFailure(.database, "\(ImportError.foreignKeysEnforced)")
    }
    let isSeed = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = ?", .text(ReservedTable.meta))
    guard isSeed == 0 else {
      throw ImportFailure(
        .database, "\(connection.path) is a published seed: only its publisher's updates may change its rows")
    }
    if case .batched(let rows) = policy.atomicity {
      guard rows > 0 else { throw ImportFailure(.mapping, "a batch must have at least one row") }
      guard !mapping.lists.contains(where: { $0.table.deletes }) else {
        throw ImportFailure(
          .mapping,
          "a mode of the mapping deletes rows, which takes one transaction: another batch may still have them. Import "
            + "without batches")
      }
    }
  }
}

extension TableMapping {
  /// Whether this table or a nested one deletes rows that the import does not mention.
  fileprivate var deletes: Bool {
    mode != .merge || relations.contains { $0.mode == .replaceForParent || $0.table.deletes }
  }
}
