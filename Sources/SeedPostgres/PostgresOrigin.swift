package import SeedDatabase
import SeedFormat
package import SeedServer

/// A database's schema, read in one transaction while others may write it.
package final class PostgresOrigin: Origin {
  private let connection: PostgresConnection
  private let types: TypeCatalog
  package let fitter = AffinityFitter()

  /// Connects and takes the state that all reads will see.
  package init(_ place: PostgresPlace) throws {
    connection = try PostgresConnection(place)
    types = TypeCatalog(connection)
    try connection.begin()
  }

  package func source(
    of table: TableSchema, _ projection: Projection, isOrdered: Bool
  ) throws -> any RowSource {
    try PostgresProjection(table, projection, connection, types).rows(connection, isOrdered: isOrdered)
  }

  package func rowsWithoutKey(_ table: TableSchema, _ projection: Projection) throws -> Int {
    let projection = try PostgresProjection(table, projection, connection, types)
    let count = try projection.blaming { try connection.rows(projection.countWithoutKey) }
    return count.first?[0].flatMap { Int($0) } ?? 0
  }

  package func outline() throws -> OriginOutline { try OriginOutline(SchemaCatalog(connection)) }

  /// There is none yet: each step that finds something new compares all rows.
  package func log() throws -> (any OriginLog)? { nil }

  package func isVolatile(_ plans: [SeriesPlan]) throws -> Bool {
    try connection.isVolatile(plans.flatMap { $0.newest.projections.values })
  }
}
