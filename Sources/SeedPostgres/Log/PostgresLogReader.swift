import SeedDatabase
import SeedPublisher

/// Finds the tables that a dataset reads, and their clients' keys.
struct PostgresLogReader {
  let connection: PostgresConnection
  private let types: TypeCatalog
  private let reading: ReadingCatalog

  struct Table {
    let relation: ReadRelation
    /// The client's key with the origin's names; empty if only a SELECT reads the table.
    var keys: [String] = []
  }

  init(_ connection: PostgresConnection) {
    self.connection = connection
    (types, reading) = (TypeCatalog(connection), ReadingCatalog(connection))
  }

  /// Partitions are replaced by their root, and views by the tables that they read.
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
        // A view of that name may have other rows than its table.
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
