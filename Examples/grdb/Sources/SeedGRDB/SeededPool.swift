import GRDB
import SeedClient

/// A pool on the app's own database whose connections also read the current seed.
///
/// SQL names the seed's tables like the app's own. Observations yield again after each delta and each new file. The pool
/// stays the same, so it also suits SQLiteData's `defaultDatabase`:
///
/// ```swift
/// let pool = try await SeededPool(seeds, beside: path) { print($0) }.pool
/// prepareDependencies { $0.defaultDatabase = pool }
/// ```
public final class SeededPool: Sendable {
  /// The pool. It cannot write to the seed.
  public let pool: DatabasePool
  private let attached = AttachedSeed()

  /// Opens or creates the app's database. Attaches each new file of the store until the store is released or closed.
  ///
  /// Returns once there is a seed: a first start without a bundle waits for a download.
  ///
  /// - Parameter onFailure: Gets the error if a new file could not be attached. The older one remains readable.
  public init(
    _ seeds: SeedStore, beside path: String, configuration: Configuration = Configuration(),
    onFailure: @escaping @Sendable (any Error) -> Void
  ) async throws {
    var configuration = configuration
    configuration.prepareDatabase { [attached] db in try attached.attach(to: db) }
    pool = try DatabasePool(path: path, configuration: configuration)
    let (files, changes) = (seeds.files, seeds.changes)
    try await replaceSeed(by: seeds.prepare())
    Task {
      for await seed in files {
        do { try await replaceSeed(by: seed) } catch { onFailure(error) }
      }
    }
    Task {
      for await delta in changes {
        do { try await notify(delta.tables.keys.map { Table($0) }) } catch { onFailure(error) }
      }
    }
  }

  /// Releases the seed. Call it before `suspend()` of a store in an App Group; `resume()` attaches the seed again.
  ///
  /// Until then queries of the seed's tables fail, which ends GRDB's observations of them.
  public func detach() async throws { try await replaceSeed(by: nil) }

  /// Waits for running reads, so that no read sees two seeds.
  private func replaceSeed(by seed: Seed?) async throws {
    try await pool.barrierWriteWithoutTransaction { [pool, attached] db in
      try attached.replace(by: seed, in: db)
      // The next reads open connections with the new seed.
      pool.invalidateReadOnlyConnections()
    }
    if seed != nil { try await notify([DatabaseRegion.fullDatabase]) }
  }

  private func notify(_ regions: [some DatabaseRegionConvertible & Sendable]) async throws {
    try await pool.write { db in
      for region in regions { try db.notifyChanges(in: region) }
      // A starting observation reads again only if the app's own file has changed since its first read.
      let version = try Int.fetchOne(db, sql: "PRAGMA main.user_version") ?? 0
      try db.execute(sql: "PRAGMA main.user_version = \(version)")
    }
  }
}
