import SeedDatabase
import SeedFormat

extension ImportSession {
  /// Throws where a database or a mapping is not fit for imports at all.
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
    if case .batched(let rows, _) = policy.atomicity {
      guard rows > 0 else { throw ImportFailure(.mapping, "a batch must have at least one row") }
      guard !mapping.lists.contains(where: { $0.table.mode != .merge }) else {
        throw ImportFailure(
          .mapping, "this mode deletes rows, which takes one transaction: import without batches")
      }
    }
  }
}
