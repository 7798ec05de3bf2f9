import Foundation
import GRDB
import SeedClient

/// The seed that connections attach when they are opened.
final class AttachedSeed: @unchecked Sendable {
  private let lock = NSLock()
  private var seed: Seed?

  func attach(to db: Database) throws {
    if let seed = lock.withLock({ seed }) { try Self.attach(seed, to: db) }
  }

  func replace(by newest: Seed?, in db: Database) throws {
    if let newest {
      try Self.attach(newest, to: db)
    } else if lock.withLock({ seed }) != nil {
      try db.execute(sql: "DETACH DATABASE seed")
      db.remove(function: Self.keeper(of: nil))
    }
    lock.withLock { seed = newest }
    db.clearSchemaCache()
  }

  private static func attach(_ seed: Seed, to db: Database) throws {
    try seed.attach(to: handle(of: db))
    db.add(function: keeper(of: seed))
  }

  private static func handle(of db: Database) throws -> OpaquePointer {
    guard let handle = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
    return handle
  }

  /// Keeps the seed's file until the connection is closed or gets another one.
  private static func keeper(of seed: Seed?) -> DatabaseFunction {
    DatabaseFunction("seed_file", argumentCount: 0) { _ in seed?.url.path }
  }
}
