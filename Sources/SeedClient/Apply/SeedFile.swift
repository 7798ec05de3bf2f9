import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The live file behind the one connection that writes it.
final class SeedFile {
  private let connection: Connection
  let schema: DatabaseSchema

  /// A file that nobody else has opened yet.
  convenience init(_ path: String) throws { try self.init(Connection(path, .writer)) }

  /// The live file of a generation, behind the store's own connection or one that somebody lends.
  ///
  /// It may hold what the app has made in it, by mistake: a file whose schema deltas cannot lead on from is a
  /// ``DeltaMismatch``, and what SchemaReader has to say to the author of a schema is only its reason.
  static func live(_ open: () throws -> Connection) throws -> SeedFile {
    try DeltaMismatch.blaming { try SeedFile(open()) }
  }

  private init(_ connection: Connection) throws {
    self.connection = connection
    schema = try SchemaReader(connection).schema()
  }

  /// Where a file's header says by which journal it is read and written, and what stands there for WAL.
  private static let modeBytes = 18..<20
  private static let walMode: UInt8 = 2

  /// Lets readers read while this connection writes; the mode stays with the file.
  func enterWAL() throws {
    let mode = try connection.value("PRAGMA journal_mode = WAL")
    guard mode == .text("wal") else {
      throw SeedError(
        .io, "\(connection.path) cannot be used by a reader and a writer at once on this volume")
    }
    // SQLite answers "wal" though writing the header or deleting its journal failed (seen with 3.40.1): then the
    // next opening finds the old mode, or a journal that a reader may not roll back.
    let header = try DurableFile.start(of: connection.path, Self.modeBytes.upperBound) ?? []
    guard header.count == Self.modeBytes.upperBound,
      header[Self.modeBytes].allSatisfy({ $0 == Self.walMode }),
      !Folder.exists(connection.path + "-journal")
    else { throw SeedError(.io, "\(connection.path) could not be made ready for readers") }
  }

  /// Applies one delta: its rows, version and digest together, or nothing of it. ``DeltaMismatch`` is said of a
  /// document alone that is the published one; one that is not is an error of its own.
  func apply(
    _ document: @escaping DocumentPieces.Source, signed: PublishedObject, keyLimit: Int
  ) throws -> SeedChanges {
    try DeltaMismatch.blaming {
      let result = try connection.transaction {
        try DeltaApplier(connection, schema, keyLimit: keyLimit).apply(document, signed: signed)
      }
      return SeedChanges(version: signed.version, result)
    }
  }
}

/// A delta, as it was signed, does not lead from this file to what was published: only a snapshot helps.
struct DeltaMismatch: Error, Hashable, CustomStringConvertible {
  let reason: String

  var description: String { "the changes do not fit the data on this device: \(reason)" }

  /// Runs `body`; what it throws about the file or the delta leaves as a mismatch of the two.
  fileprivate static func blaming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as CompressionError {
      throw error
    } catch let error as DatabaseError where !error.isAboutContent {
      throw error
    } catch {
      throw DeltaMismatch(reason: String(describing: error))
    }
  }
}

extension DatabaseError {
  /// Whether the file or the delta is to blame, and not the disk or another connection.
  fileprivate var isAboutContent: Bool {
    let codes = [ResultCode.constraint, ResultCode.corrupt, ResultCode.notADatabase, Self.genericError]
    return codes.contains(primaryCode)
  }

  /// SQLITE_ERROR: the statement does not fit the file's schema.
  private static let genericError: Int32 = 1
}

extension SeedChanges {
  fileprivate init(version: Version, _ result: ImportResult) {
    self.version = version
    tables = Dictionary(
      uniqueKeysWithValues: result.changes.filter { !$0.value.isEmpty }.map { name, changes in
        (name, Table(changes, result.keys[name]))
      })
  }
}

extension SeedChanges.Table {
  fileprivate init(_ changes: TableChanges, _ keys: ChangedKeys?) {
    inserted = changes.inserted
    updated = changes.updated
    deleted = changes.deleted
    self.keys = keys.map {
      SeedChanges.Keys(inserted: $0.inserted, updated: $0.updated, deleted: $0.deleted)
    }
  }
}
