import SeedDatabase
import SeedServer

extension SeriesPlan {
  /// Prepares every projection, before anything is written that says the origin can fill the model; reads no row.
  func prove(against origin: SQLiteOrigin) throws {
    for table in schema.tables { try prove(table, against: origin) }
  }

  func prove(_ table: TableSchema, against origin: SQLiteOrigin) throws {
    let sql = newest.projections[table.name]
    let place = sql == nil ? "the origin's table of that name" : "\(newest.path)/\(table.name).sql"
    _ = try origin.rows(table, Projection(sql: sql, place: place))
  }
}
