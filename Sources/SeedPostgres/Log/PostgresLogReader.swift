import SeedDatabase
import SeedServer

/// Finds out which tables a dataset reads, and by which keys its clients know their rows.
struct PostgresLogReader {
  let connection: PostgresConnection
  private let types: TypeCatalog
  private let reading: ReadingCatalog

  /// A table that is read.
  struct Table {
    let relation: ReadRelation
    /// The client's key in the origin's names; empty where only a SELECT reads it.
    var keys: [String] = []
  }

  init(_ connection: PostgresConnection) {
    self.connection = connection
    (types, reading) = (TypeCatalog(connection), ReadingCatalog(connection))
  }

  /// All of them, partitions by their root; views are what they read.
  func tables(readBy plans: [SeriesPlan]) throws -> [Table] {
    var tables: [UInt32: Table] = [:]
    for plan in plans {
      for table in plan.schema.tables {
        let source = plan.projection(table)
        let projection = try PostgresProjection(table, source, connection, types)
        let relations = try reading.relations(readBy: projection).filter { !$0.isView }
        let roots = try Set(relations.map { relation throws(PostgresError) in try root(of: relation) })
        for relation in roots where tables[relation.oid] == nil {
          tables[relation.oid] = Table(relation: relation)
        }
        // A view of that name may show other rows than its table.
        let own = roots.first { $0.schema == connection.place.schema && $0.name == table.name }?.oid
        guard source.sql == nil, roots.count == 1, let own, tables[own]?.keys.isEmpty == true else {
          continue
        }
        tables[own]?.keys = table.key.map { projection.names[$0] }
      }
    }
    return tables.values.sorted {
      ($0.relation.schema, $0.relation.name) < ($1.relation.schema, $1.relation.name)
    }
  }

  private func root(of relation: ReadRelation) throws(PostgresError) -> ReadRelation {
    let rows = try connection.rows(
      """
      SELECT c.oid, n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
      WHERE c.oid = pg_partition_root($1::oid)
      """, ["\(relation.oid)"])
    return rows.first.map(ReadRelation.init) ?? relation
  }
}
