import SeedDatabase
import SeedSystem

public import struct Foundation.URL

/// Imports an app's own JSON or CSV into its own database.
///
/// ```swift
/// import SeedImport
///
/// let importer = Importer(database: databaseURL)
/// let report = try await importer.import(.file(jsonURL), mapping: ImportMapping("person"))
/// print(report.tables["person"]?.inserted ?? 0)
/// ```
///
/// Reads the document once, in pieces, and upserts its rows. A missing member leaves its column unchanged, a null
/// member sets the column to NULL, and unchanged rows are not written. An importer runs one import at a time. Other
/// writers must wait, but readers need not. The database must exist with its tables.
public struct Importer: Sendable {
  private let runner: ImportRunner

  /// Creates an importer for the database file without opening it.
  public init(database: URL) { runner = ImportRunner(database) }

  /// Imports all of `source` and reports the changes.
  ///
  /// - Parameters:
  ///   - source: The document or documents, whole or in pieces.
  ///   - mapping: Maps members to columns of tables.
  ///   - policy: Handles existing keys, bad rows and dangling references.
  ///   - progress: Called on the importer's own queue, at most ten times a second.
  ///   - rejected: Called with each rejected row and its first issue. With batches, it is called before the batch commits.
  /// - Throws: ``ImportFailure``, `CancellationError`, or an error of the source or of `rejected`. The database is then
  ///   unchanged, or as the last batch left it.
  public func `import`(
    _ source: ImportSource, mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    progress: (@Sendable (ImportProgress) -> Void)? = nil,
    rejected: (@Sendable (ImportReject) throws -> Void)? = nil
  ) async throws -> ImportReport {
    try await runner.run(source, mapping, policy, progress, rejected)
  }
}

private actor ImportRunner: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.import")
  private let database: URL
  private let lock = AsyncLock()

  init(_ database: URL) { self.database = database }

  func run(
    _ source: ImportSource, _ mapping: ImportMapping, _ policy: ImportPolicy,
    _ progress: (@Sendable (ImportProgress) -> Void)?,
    _ rejected: (@Sendable (ImportReject) throws -> Void)?
  ) async throws -> ImportReport {
    guard await lock.acquire() else { throw CancellationError() }
    defer { lock.release() }
    var hooks = ImportHooks()
    (hooks.progress, hooks.rejected) = (progress, rejected)
    hooks.isCancelled = { Task.isCancelled }
    do {
      let connection = try Connection(database.path, .own)
      let session = try ImportSession(connection, mapping: mapping, policy: policy, hooks: hooks)
      do {
        try await feed(source, session)
        return try session.finish()
      } catch {
        session.abandon()
        let rest = session.remainder.map { "; \($0)" } ?? ""
        switch error {
        case is CompressionError:
          throw ImportFailure(.document, "\(session.place.document): \(error)\(rest)")
        case is DatabaseError: throw ImportFailure(.io, "\(database.path): \(error)\(rest)")
        case is FileError: throw ImportFailure(.io, "\(error)\(rest)")
        default: throw error
        }
      }
    } catch let error as DatabaseError { throw ImportFailure(.io, "\(database.path): \(error)") }
  }

  private func feed(_ source: ImportSource, _ session: ImportSession) async throws {
    switch source.kind {
    case .files(let urls):
      for url in urls {
        try session.begin(url.lastPathComponent)
        try DocumentUnpacker.read(url.path, isCancelled: { Task.isCancelled }) {
          try session.feed(document: $0)
        }
        try session.end()
      }
    case .chunks(let make):
      try session.begin(source.name)
      try await session.feedDocument(of: make())
    case .pages(let first, let page):
      for number in 1... {
        var rest = Optional(try await page(first + number - 1))
        try session.begin("\(source.name) \(number)")
        if try await session.feedDocument(of: { rest.take() }) == 0 { return }
      }
    }
  }
}

extension ImportSession {
  @discardableResult
  fileprivate func feedDocument(of next: ImportPieces) async throws -> Int {
    let unpacker = DocumentUnpacker()
    while let piece = try await next() {
      try Task.checkCancellation()
      try unpacker.take(Array(piece)) { try feed(document: $0) }
    }
    try unpacker.end { try feed(document: $0) }
    return try end()
  }

  fileprivate func feed(document bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try feed($0) } }
}
