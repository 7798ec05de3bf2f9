import SeedDatabase
import SeedFormat
public import SeedImport

public import struct Foundation.URL

/// Takes an app's own JSON into an app's own database.
///
/// ```swift
/// let importer = Importer(database: databaseURL)
/// let report = try await importer.import(.file(jsonURL), mapping: ImportMapping("person"))
/// print(report.tables["person"]?.inserted ?? 0)
/// ```
///
/// The document is read once and piece by piece; its values go straight into prepared statements. Real
/// upserts: a member that is missing leaves its column alone, null is written, equal rows are not written at
/// all. One importer runs one import at a time; give it the database while nothing else writes there, readers
/// may go on. The database must exist with its tables: an importer creates nothing.
public struct Importer: Sendable {
  private let runner: ImportRunner

  /// An importer for the database file; nothing is opened yet.
  public init(database: URL) { runner = ImportRunner(database) }

  /// Imports all of `source` and says what became of it.
  ///
  /// - Parameters:
  ///   - source: the document or documents, whole or in pieces.
  ///   - mapping: which members become which columns of which tables.
  ///   - policy: what happens to known keys, bad rows and references that lead nowhere.
  ///   - progress: called on the importer's own queue, at most ten times a second.
  ///   - statements: shown every statement that SQLite runs, without values; for looking at what is slow.
  ///   - rejected: called with each rejected row's issue and the document's row as JSON; a line that is no JSON comes
  ///     as a string.
  /// - Throws: ``SeedFormat/ImportFailure``, `CancellationError`, what the source throws, or ``SeedError`` of the code
  ///   `io` for what the disk or SQLite refuses. The database is then as before, or as the last batch
  ///   left it.
  public func `import`(
    _ source: ImportSource, mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    progress: (@Sendable (ImportProgress) -> Void)? = nil,
    statements: (@Sendable (String) -> Void)? = nil,
    rejected: (@Sendable (ImportIssue, [UInt8]) throws -> Void)? = nil
  ) async throws -> ImportReport {
    try await runner.run(
      source, mapping, policy, ImportCallbacks(progress: progress, statements: statements, rejected: rejected)
    )
  }
}

/// What an app wants to hear of during an import.
struct ImportCallbacks: Sendable {
  let progress: (@Sendable (ImportProgress) -> Void)?
  let statements: (@Sendable (String) -> Void)?
  let rejected: (@Sendable (ImportIssue, [UInt8]) throws -> Void)?

  var hooks: ImportHooks {
    var hooks = ImportHooks()
    (hooks.progress, hooks.statement, hooks.rejected) = (progress, statements, rejected)
    hooks.isCancelled = { Task.isCancelled }
    return hooks
  }
}
