import Foundation
import SeedDatabase
import SeedSystem

/// Calls `apply` once with the handle of the app's writing connection to the seed's file, and rethrows its error. See
/// ``SeedStore/setConnectionProvider(_:)``.
public typealias SeedConnectionProvider =
  @Sendable (_ seed: Seed, _ apply: @Sendable (_ handle: OpaquePointer) throws -> SeedChanges) async throws ->
  Void

/// Applies one delta through the app's connection.
struct AppConnection: Sendable {
  let seed: Seed
  let delta: FetchedObject
  let keyLimit: Int

  func apply(by provider: SeedConnectionProvider) async throws -> SeedChanges {
    let outcome = Mutex<Result<SeedChanges, any Error>?>(nil)
    var failure: (any Error)?
    do {
      try await provider(seed) { handle in
        try outcome.withLock { outcome in
          if case .success? = outcome { throw Self.unusable("its provider called apply twice for one delta") }
          let result = Result { try apply(through: handle) }
          outcome = result
          return try result.get()
        }
      }
    } catch { failure = error }
    // This library's own error is more specific than the app's.
    if let result = outcome.withLock({ $0 }) { return try result.get() }
    if let failure, failure is CancellationError, Task.isCancelled { throw failure }
    throw Self.unusable(failure.map { "its provider failed: \($0)" } ?? "its provider did not call apply")
  }

  private func apply(through handle: OpaquePointer) throws -> SeedChanges {
    let connection = Connection(borrowing: handle)
    try check(connection)
    let isGuarded = try connection.value("PRAGMA query_only") == .integer(1)
    if isGuarded { try connection.execute("PRAGMA query_only = 0") }
    defer { if isGuarded { try? connection.execute("PRAGMA query_only = 1") } }
    do {
      return try connection.withoutForeignKeys {
        let file = try SeedFile.live { connection }
        // Before and after, because an earlier process may have left its log. Readers may block either attempt.
        _ = try? file.emptyLog()
        defer { _ = try? file.emptyLog() }
        return try file.apply(delta, keyLimit: keyLimit)
      }
    } catch let error as DatabaseError {
      guard error.primaryCode == ResultCode.busy else { throw error }
      throw Self.unusable(
        "another connection is writing to the file, and the busy timeout ran out: set a longer one")
    }
  }

  /// Cannot check that the handle comes from the same SQLite library: every check relies on that.
  private func check(_ connection: Connection) throws {
    guard try isOurs(connection.file(of: "main")) else {
      throw Self.unusable(
        "it has a file other than \(seed.url.path) open: open the newest seed from `files`")
    }
    guard connection.isWritable else { throw Self.unusable("it cannot write") }
    guard !connection.isInTransaction else {
      throw Self.unusable("it is in a transaction: with GRDB use writeWithoutTransaction")
    }
    guard try connection.value("PRAGMA main.journal_mode") == .text("wal") else {
      throw Self.unusable("it has switched WAL mode off, without which others cannot read while it writes")
    }
  }

  /// Compares file identity, because the app may have used another path; links are common on Apple's systems.
  private func isOurs(_ path: String?) throws -> Bool {
    guard let path, let found = try FileStamp(path), let own = try FileStamp(seed.url.path) else {
      return false
    }
    return found.isOfSameFile(as: own)
  }

  private static func unusable(_ reason: String) -> SeedError {
    SeedError(.connection, "the app's connection cannot take the changes: \(reason)")
  }
}
