import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

final class SeedFile {
  private let connection: Connection
  private(set) var schema: DatabaseSchema

  init(_ path: String) throws {
    connection = try Connection(path, .seed)
    schema = try SchemaReader(connection).schema()
  }

  /// The two bytes of SQLite's file header that select the journal mode, and their value for WAL.
  private static let modeBytes = 18..<20
  private static let walMode: UInt8 = 2

  func enterWAL() throws {
    let mode = try connection.value("PRAGMA journal_mode = WAL")
    guard mode == .text("wal") else {
      throw SeedError(
        .io,
        "SQLite's WAL mode does not work on the volume of \(connection.path): give the store a directory on another volume"
      )
    }
    // SQLite reports "wal" even if writing the header or deleting its journal failed (seen with 3.40.1). The next
    // connection would then find the old mode, or a journal that a reader may not roll back.
    let header = try DurableFile.start(of: connection.path, Self.modeBytes.upperBound) ?? []
    guard header.count == Self.modeBytes.upperBound,
      header[Self.modeBytes].allSatisfy({ $0 == Self.walMode }), !Folder.exists(connection.path + "-journal")
    else {
      throw SeedError(
        .io,
        "\(connection.path) could not be put into WAL mode: try again, and check the disk if this recurs")
    }
  }

  func emptyLog() throws -> Bool { try connection.emptyLog() }

  /// Applies deltas in one transaction: rows, version and digest. Throws ``DeltaMismatch`` if one does not fit the rows.
  func apply(_ deltas: [FetchedObject], keyLimit: Int) throws -> [SeedChanges] {
    let applier = DeltaApplier(connection, schema, keyLimit: keyLimit)
    let changes = try DeltaMismatch.blaming {
      try connection.transaction { try deltas.map { try Self.apply($0, with: applier) } }
    }
    schema = applier.schema
    return changes
  }

  private static func apply(_ delta: FetchedObject, with applier: DeltaApplier) throws -> SeedChanges {
    try delta.using {
      let document = try delta.document()
      return try DeltaMismatch.blaming {
        let result = try applier.apply(document, signed: delta.object)
        return SeedChanges(version: delta.object.version, result, updated: applier.updated)
      }
    }
  }
}

/// A signed delta does not yield the published rows from this file: only a snapshot helps.
struct DeltaMismatch: SeedErrorConvertible {
  let reason: String

  var seedError: SeedError {
    SeedError(
      .damaged,
      "the delta does not fit the data on this device (\(reason)): the next update downloads a snapshot")
  }

  static func blaming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error
      where error is CompressionError || error is FileError || error is CancellationError
      || error is any SeedErrorConvertible
    {
      throw error
    } catch let error as DatabaseError
      where !error.saysDamage && !error.saysMisfit && error.primaryCode != ResultCode.constraint
    {
      // The disk or another connection is at fault.
      throw error
    } catch { throw DeltaMismatch(reason: String(describing: error)) }
  }
}

extension SeedChanges {
  fileprivate init(version: SeedVersion, _ result: ImportResult, updated: [String: Set<String>]) {
    let changed = result.changes.filter { !$0.value.isEmpty }.map { name, changes in
      let table = Table(
        inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted,
        keys: result.keys[name].map(Keys.init), columns: updated[name])
      return (name, table)
    }
    self.init(version: version, tables: Dictionary(uniqueKeysWithValues: changed))
  }
}

extension SeedChanges.Keys {
  fileprivate init(_ keys: ChangedKeys) {
    self.init(inserted: keys.inserted, updated: keys.updated, deleted: keys.deleted)
  }
}
