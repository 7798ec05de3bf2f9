import SeedDatabase
import SeedFormat

/// Finds all rows of an origin that violate a client's schema, by inserting them into a scratch database.
struct ViolationSurvey {
  private let origin: any Origin
  private let plan: SeriesPlan
  private let types: TypeGuard?
  private let scratch: Connection
  private var found: [OriginError.Violation] = []

  private init(_ origin: any Origin, _ plan: SeriesPlan, _ types: TypeGuard?) throws {
    (self.origin, self.plan, self.types) = (origin, plan, types)
    scratch = try Connection("survey", .scratch)
    try scratch.execute(plan.newest.schemaSQL)
  }

  /// If the error is about a row, returns an error that lists all bad rows. Otherwise, returns it unchanged.
  static func explained(
    _ error: any Error, _ origin: any Origin, _ plan: SeriesPlan, _ types: TypeGuard?
  ) -> any Error {
    let isBadRow = error is ImportError || (error as? DatabaseError)?.saysBadRow == true
    guard isBadRow || (error as? OriginError)?.rowRule != nil else { return error }
    // A survey that fails, for example for lack of space, must not hide the given error.
    var survey = try? ViolationSurvey(origin, plan, types)
    guard let violations = try? survey?.run(), !violations.isEmpty else { return error }
    return OriginError.data(
      "nothing is published: the origin's rows violate the clients' schema: "
        + violations.map(\.description).joined(separator: "; ")
        + "; fix these rows, or leave them out with a WHERE in the model's SELECT of their table")
  }

  private mutating func run() throws -> [OriginError.Violation] {
    try scratch.execute("BEGIN")
    for table in plan.schema.tables { try insert(table) }
    for table in plan.schema.tables where !table.foreignKeys.isEmpty { try checkReferences(table) }
    return found
  }

  private mutating func insert(_ table: TableSchema) throws {
    let rows = try origin.rows(table, plan.projection(table), isOrdered: false)
    let insert = try scratch.prepare(TableSQL(table).insert)
    while true {
      do {
        guard try rows.next() else { return }
        try insert.run(try rows.validRow(types))
      } catch let error as OriginError {
        guard let rule = error.rowRule else { throw error }
        found.note(table, rule, rows.keyDescription)
      } catch let error as DatabaseError where error.saysBadRow && error.subject == insert.sql {
        found.note(table, error.message, rows.keyDescription)
      }
    }
  }

  private mutating func checkReferences(_ table: TableSchema) throws {
    for reference in table.foreignKeys {
      guard let parent = plan.schema.table(reference.parent) else { continue }
      let key = table.keyNames.map { "child.\(quoted($0))" }.joined(separator: ", ")
      let condition = orphanCondition(reference.columns, parent.name, reference.parentColumns(in: parent))
      let orphans = try scratch.prepare(
        "SELECT \(key) FROM main.\(quoted(table.name)) AS child WHERE \(condition)")
      while try orphans.step() {
        let rule = "references a row that table \"\(parent.name)\" does not have"
        found.note(table, rule, rowDescription(table.keyNames, try orphans.row()))
      }
    }
  }
}
