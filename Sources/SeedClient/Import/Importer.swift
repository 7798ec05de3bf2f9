import SeedDatabase
public import SeedImport
import SeedSystem

public import struct Foundation.URL

/// Takes an app's own JSON or CSV into an app's own database.
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
  ///   - rejected: called with each rejected row and all that is wrong with it. With batches, those of a batch come
  ///     before it is committed.
  /// - Throws: ``SeedImport/ImportFailure``, `CancellationError`, what the source throws, or ``SeedError`` of the code
  ///   `io` for what the disk or SQLite refuses. The database is then as before, or as the last batch
  ///   left it.
  public func `import`(
    _ source: ImportSource, mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    progress: (@Sendable (ImportProgress) -> Void)? = nil, statements: (@Sendable (String) -> Void)? = nil,
    rejected: (@Sendable (ImportReject) throws -> Void)? = nil
  ) async throws -> ImportReport {
    try await runner.run(source, mapping, policy) {
      var hooks = ImportHooks()
      (hooks.progress, hooks.statement, hooks.rejected) = (progress, statements, rejected)
      hooks.isCancelled = { Task.isCancelled }
      return hooks
    }
  }
}

private actor ImportRunner: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.import")
  private let database: URL
  private let turns = Turns()

  init(_ database: URL) { self.database = database }

  func run(
    _ source: ImportSource, _ mapping: ImportMapping, _ policy: ImportPolicy,
    _ hooks: @Sendable () -> ImportHooks
  ) async throws -> ImportReport {
    guard await turns.take() else { throw CancellationError() }
    defer { turns.end() }
    do {
      let connection = try Connection(database.path, .own)
      let session = try ImportSession(connection, mapping: mapping, policy: policy, hooks: hooks())
      do {
        try await feed(source, policy, session)
        return try session.finish()
      } catch {
        session.abandon()
        throw error
      }
    } catch let error as DatabaseError {
      throw SeedError(.io, "\(database.path): \(error)")
    } catch let error as FileError {
      throw SeedError(.io, "\(error)")
    } catch let error as CompressionError {
      throw ImportFailure(.document, "\(source.name): \(error)")
    }
  }

  private func feed(_ source: ImportSource, _ policy: ImportPolicy, _ session: ImportSession) async throws {
    switch source.kind {
    case .files(let urls):
      for url in urls {
        try session.begin(url.lastPathComponent, isRejects: source.isRejects)
        try DocumentUnpacker.read(url.path, pieces: policy.batchBytes) { try session.feed(document: $0) }
        try session.end()
      }
    case .chunks(let make):
      try session.begin(source.name)
      try await session.feedDocument(of: make())
    case .documents(let make):
      let next = make()
      var number = 1
      while let document = try await next() {
        var rest = Optional(document)
        try session.begin("\(source.name) \(number)")
        if try await session.feedDocument(of: { rest.take() }) == 0 { return }
        number += 1
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
