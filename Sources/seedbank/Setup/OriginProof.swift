import SeedDatabase
import SeedServer

/// Proves that an origin can fill the models, before anything is written that says so.
enum OriginProof {
  /// Prepares every projection; reads no row.
  static func prove(_ plans: [SeriesPlan], against origin: String) throws {
    let origin = try SQLiteOrigin(origin)
    for plan in plans {
      for table in plan.schema.tables { try prove(table, of: plan, against: origin) }
    }
  }

  /// Prepares one table's projection.
  static func prove(_ table: TableSchema, of plan: SeriesPlan, against origin: SQLiteOrigin) throws {
    let sql = plan.newest.projections[table.name]
    let place = sql == nil ? "the origin's table of that name" : "\(plan.newest.path)/\(table.name).sql"
    _ = try origin.rows(table, Projection(sql: sql, place: place))
  }
}
