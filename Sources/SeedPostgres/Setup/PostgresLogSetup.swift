import SeedDatabase
package import SeedPublisher

package struct PostgresLogSetup: OriginLogMaker {
  private let place: PostgresPlace
  private let owner: PostgresPlace
  private let reader: PostgresConnection
  private let names: LogNames

  /// Connects as the publishing user and writes nothing. `owner`: the same database for a user who may create the log.
  package init(_ place: PostgresPlace, owner: PostgresPlace? = nil) throws {
    (self.place, self.owner, names) = (place, owner ?? place, LogNames(of: place.schema))
    reader = try PostgresConnection(place)
    try reader.begin()
  }

  package func draft(_ plans: [SeriesPlan]) throws -> OriginLogDraft {
    let draft = try PostgresLogDraft(PostgresLogReader(reader), plans)
    // Another session creates the log.
    try reader.releaseLocks()
    return OriginLogDraft(logged: draft.logged, left: draft.left, statements: draft.statements)
  }

  package func removal() throws -> [String] {
    let schemas = try reader.rows("SELECT FROM pg_namespace WHERE nspname = $1", [names.schema])
    guard !schemas.isEmpty else { return [] }
    guard try PostgresLogCatalog.exists(names, reader) else {
      throw PostgresError.configuration(
        "the origin \(place.text) has a schema \"\(names.schema)\" that is no log: give it another name, because the log needs this one"
      )
    }
    return try names.removal(reader)
  }

  /// A script in one transaction, for the operator to run. The lock timeout is short, because writers queue behind a
  /// waiting lock.
  package func script(_ statements: [String]) -> [String] {
    ["BEGIN", "SET LOCAL lock_timeout = '\(place.lockTimeoutSeconds)s'"] + statements + ["COMMIT"]
  }

  package func run(_ statements: [String]) throws {
    let connection = try PostgresConnection(owner)
    for statement in script(statements) {
      do throws(PostgresError) {
        try connection.rows(statement)
      } catch { throw withRemedy(error, of: statement) }
    }
  }

  /// Missing rights here are those of an owner, not of a reader.
  private func withRemedy(_ error: PostgresError, of statement: String) -> PostgresError {
    guard case .server(_, _, let message) = error, message.state == "42501" else { return error }
    if statement.hasPrefix("CREATE SCHEMA") {
      return .configuration(
        "the log of the origin \(place.text) was not made: \(message.text) (as user \(message.user)); let the database's owner run: "
          + "GRANT CREATE ON DATABASE … TO \(quoted(message.user)); or give --owner with a URL of a permitted user, or let one run "
          + "the SQL of '--print'")
    }
    return .configuration(
      "the log of the origin \(place.text) was not changed: \(message.text) (as user \(message.user)); give --owner with a URL of the "
        + "owner of the tables and the log, or let that user run the SQL of '--print'")
  }
}

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
    try connection.relations("c.oid = pg_partition_root($1::oid)", "\(relation.oid)").first ?? relation
  }
}
