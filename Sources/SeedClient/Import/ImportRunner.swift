import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

import struct Foundation.Data
import struct Foundation.URL

/// Runs imports one at a time, on a queue of its own: SQLite blocks.
actor ImportRunner: TurnTaking {
  private nonisolated let executor = QueueExecutor(label: "seedbank.import")
  private let database: URL
  var turns = Turns()

  init(_ database: URL) { self.database = database }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run(
    _ source: ImportSource, _ mapping: ImportMapping, _ policy: ImportPolicy, _ callbacks: ImportCallbacks
  ) async throws -> ImportReport {
    guard await takeTurnUnlessCancelled() else { throw CancellationError() }
    defer { turns.end() }
    do {
      return try await translated(source, mapping, policy, callbacks)
    } catch let error as DatabaseError {
      throw SeedError(.io, "\(database.path): \(error)")
    } catch let error as FileError {
      throw SeedError(.io, "\(error)")
    } catch let error as CompressionError {
      throw ImportFailure(.document, "\(source.name): \(error)")
    }
  }

  private func translated(
    _ source: ImportSource, _ mapping: ImportMapping, _ policy: ImportPolicy, _ callbacks: ImportCallbacks
  ) async throws -> ImportReport {
    let connection = try Connection(database.path, .writer)
    let session = try ImportSession(connection, mapping: mapping, policy: policy, hooks: callbacks.hooks)
    do {
      try await feed(source, policy, session)
      return try session.finish()
    } catch {
      session.abandon()
      throw error
    }
  }

  private func feed(_ source: ImportSource, _ policy: ImportPolicy, _ session: ImportSession) async throws {
    switch source.kind {
    case .file(let url):
      session.begin(source.name)
      try DocumentUnpacker.read(url.path, pieces: policy.batchBytes) { try session.feed(document: $0) }
      try session.end()
    case .chunks(let make):
      var pieces = make()
      session.begin(source.name)
      let unpacker = DocumentUnpacker()
      while let piece = try await pieces.next() {
        try Task.checkCancellation()
        try unpacker.take(Array(piece)) { try session.feed(document: $0) }
      }
      try unpacker.end { try session.feed(document: $0) }
      try session.end()
    case .documents(let make): try await feedDocuments(make(), source.name, session)
    }
  }

  private func feedDocuments(
    _ documents: any ImportPieces, _ name: String, _ session: ImportSession
  ) async throws {
    var documents = documents
    var number = 1
    while let document = try await documents.next() {
      try Task.checkCancellation()
      session.begin("\(name) \(number)")
      let unpacker = DocumentUnpacker()
      try unpacker.take(Array(document)) { try session.feed(document: $0) }
      try unpacker.end { try session.feed(document: $0) }
      if try session.end() == 0 { return }
      number += 1
    }
  }
}

extension ImportSession {
  fileprivate func feed(document bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try feed($0) }
  }
}
