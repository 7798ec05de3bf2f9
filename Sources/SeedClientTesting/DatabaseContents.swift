import Foundation
package import SeedDatabase
import SeedFormat
import SeedTrust

/// The schema and rows of a SQLite file: a seed or any other publishable database.
package struct DatabaseContents {
  package let schemaSQL: String
  package let rows: [TableEdit]
  /// A seed's metadata; `nil` for other databases.
  package let meta: SeedMeta?

  /// Reads a SQLite file without changing it.
  package init(file path: String) throws {
    let folder = try TemporaryFolder()
    let copy = folder("copy.sqlite")
    try Connection(path, .origin).vacuum(into: copy)
    let connection = try Connection(copy, .writer)
    let isSeed = try connection.integer("PRAGMA application_id") == SeedTables.applicationID
    meta = isSeed ? try SeedTables.meta(connection) : nil
    if let meta { _ = try OmittedIndexes.build(in: connection, signed: meta.schema) }
    let reader = SchemaReader(connection)
    schemaSQL = try Self.schemaSQL(connection, reader)
    rows = try reader.schema().tables.map { TableEdit($0, upserts: try TableRows($0, connection).all) }
  }

  /// Reads the snapshot in a folder made by `seedbank pull --bundle`, ignoring signatures.
  package init(bundle directory: String) throws {
    let folder = try TemporaryFolder()
    let (path, encoding) = try Self.snapshot(in: directory)
    _ = try Compression.expand(path, to: folder("seed.sqlite"), encoding, limit: .max)
    try self.init(file: folder("seed.sqlite"))
  }

  private static func snapshot(in directory: String) throws -> (path: String, ContentEncoding) {
    let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
    for name in names.sorted() where name.contains(".snapshot-") {
      let encoding = ContentEncoding.allCases.first { name.hasSuffix(".sqlite.\($0.fileExtension)") }
      if let encoding { return ("\(directory)/\(name)", encoding) }
    }
    throw TestPublisherError(
      "\(directory) has no snapshot: give a folder made by `seedbank pull --bundle`, and add it to the resources "
        + "of the test target")
  }

  private static func schemaSQL(_ connection: Connection, _ reader: SchemaReader) throws -> String {
    let shadows = Set(try reader.listedTables().filter { $0.kind == "shadow" }.map(\.name))
    let rows = try connection.rows(
      """
      SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
      AND name NOT LIKE 'seedbank\\_%' ESCAPE '\\' ORDER BY rowid
      """)
    // Each terminator is on its own line, because a statement may end with a comment.
    return rows.filter { !shadows.contains($0[0].text) }.map { "\($0[1].text)\n;\n" }.joined()
  }
}

struct TableRows {
  private let table: TableSchema
  /// In key order.
  let all: [[SeedValue]]
  private let byKey: [[SeedValue]: [SeedValue]]

  init(_ table: TableSchema, _ connection: Connection) throws {
    all = try connection.rows(TableSQL(table).allInKeyOrder)
    self.table = table
    byKey = Dictionary(all.map { (table.keyValues(of: $0), $0) }) { $1 }
  }

  func edit(since old: TableRows) -> TableEdit {
    TableEdit(
      table, upserts: all.filter { old.byKey[table.keyValues(of: $0)] != $0 }, deletes: goneKeys(of: old))
  }

  /// Compares keys by their collations: if only a key's case changes in a NOCASE column, the row counts as updated.
  private func goneKeys(of old: TableRows) -> [[SeedValue]] {
    let order = KeyOrder(table)
    var keys = all.map { table.keyValues(of: $0) }[...]
    return old.all.map { table.keyValues(of: $0) }.filter { key in
      keys = keys.drop { order.compare($0, key) < 0 }
      return keys.first.map { order.compare($0, key) != 0 } ?? true
    }
  }
}

/// A test's own folder, removed with this object.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// Use `inMemory` for tests that do not depend on the disk: thousands of syncs would be slow.
  package init(inMemory: Bool = false) throws {
    let memory = ProcessInfo.processInfo.environment["TESTS_MEMORY"] ?? "/dev/shm"
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = "\(parent)/seedbank-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
