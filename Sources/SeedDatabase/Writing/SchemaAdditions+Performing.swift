package import SeedFormat

extension SchemaAdditions {
  /// Adds to a seed's schema in the open transaction, with the sums of the changed tables and the content of the new search
  /// tables. Returns the new schema, whose hash must be `after`.
  package func perform(on connection: Connection, leadingTo after: SHA256Digest) throws -> DatabaseSchema {
    let old = try SchemaReader(connection).schema()
    try define(on: connection)
    let new = try SchemaReader(connection).schema()
    guard old.hash == before, new.hash == after else { throw ApplyError.otherSchema }
    for table in new.tables where old.table(table.name)?.columns != table.columns {
      try SeedTables.store(TableSum(of: table, connection), of: table.name, connection)
    }
    for search in new.searchTables where !old.searchTables.contains(search) {
      try SearchIndex.rebuild(quoted(search.name), connection)
    }
    return new
  }

  package func define(on connection: Connection) throws {
    let room = try connection.room(forIndexes: statements.count)
    for statement in statements {
      try connection.define(statement, sparing: ReservedTable.prefix, growingTo: room)
    }
  }
}
