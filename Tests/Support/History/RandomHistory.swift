import SeedDatabase
import SeedFormat
package import SeedPublisher

/// Random changes to a database, each of which ends in a state that is valid for the client schema.
///
/// The truth is a database with the client's schema, in which SQLite enforces all constraints. The origin is written
/// from it with other types and other spellings of the same values.
package final class RandomHistory {
  private var random: SplitMix
  private let truth: Connection
  private let schema: DatabaseSchema

  package init(seed: UInt64) throws {
    random = SplitMix(seed: seed)
    truth = try Connection("truth", .scratch)
    try truth.execute(HardSchema.sql)
    schema = try SchemaReader(truth).schema()
    try truth.execute("PRAGMA foreign_keys = ON")
  }

  /// Makes several random changes; rolls back those that violate the schema.
  package func mutate() throws {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      do {
        try truth.transaction {
          try truth.execute("PRAGMA defer_foreign_keys = ON")
          try change(random.pick(HardSchema.tables))
        }
      } catch let error as DatabaseError where error.primaryCode == ResultCode.constraint {}
    }
  }

  package func rows() throws -> SeedRows { try seedRows(truth, schema) }

  /// The rows that a model's SELECTs yield from the truth, with defaults by SQLite.
  package func rows(of model: ModelDefinition) throws -> SeedRows {
    let expected = try Connection("expected", .scratch)
    try expected.execute(model.schemaSQL)
    let schema = try SchemaReader(expected).schema()
    for table in schema.tables {
      let columns = table.columnNames.map(quoted).joined(separator: ", ")
      let sql = model.projections[table.name] ?? "SELECT \(columns) FROM \(quoted(table.name))"
      let insert = try expected.prepare(TableSQL(table).insert)
      for row in try truth.rows(sql) { try insert.run(row) }
    }
    return try seedRows(expected, schema)
  }

  // MARK: Changes

  private func change(_ name: String) throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: try insert(name)
    case 45..<70: try update(name)
    case 70..<84: try delete(name)
    case 84..<87: try truth.execute("DELETE FROM \(quoted(name))")
    case 87..<93: try moveUniqueValues()
    default: try changeKey(name)
    }
  }

  private func insert(_ name: String) throws {
    guard let table = schema.table(name) else { return }
    try truth.cached(TableSQL(table).insert).run(table.columns.map { value($0, table) })
  }

  private func update(_ name: String) throws {
    guard let table = schema.table(name), let key = try someKey(table) else { return }
    let others = table.columns.filter { !table.keyNames.contains($0.name) }
    guard !others.isEmpty else { return }
    let column = random.pick(others)
    try set(column, try changed(column, table, key), table, key)
  }

  private func changeKey(_ name: String) throws {
    guard let table = schema.table(name), let key = try someKey(table) else { return }
    let column = table.columns[random.pick(table.key)]
    try set(column, try changed(column, table, key), table, key)
  }

  /// A new value, or one that resembles the existing one.
  private func changed(_ column: ColumnSchema, _ table: TableSchema, _ key: [SeedValue]) throws -> SeedValue {
    guard random.chance(40) else { return value(column, table) }
    let find = try truth.cached(
      "SELECT \(quoted(column.name)) FROM \(quoted(table.name)) WHERE \(matches(table))")
    try find.bind(key)
    defer { find.reset() }
    let sibling = try find.step() ? HardValues.sibling(of: try find.value(0), &random) : nil
    guard let sibling, Self.mayHold(sibling, column) else { return value(column, table) }
    return sibling
  }

  /// Numeric columns reject other values, which separate tests cover.
  private static func mayHold(_ value: SeedValue, _ column: ColumnSchema) -> Bool {
    switch (value, column.affinity) {
    case (.text, .integer), (.text, .real): false
    // SQLite leaves the smallest integer a real.
    case (.real(let number), .integer): Int64(exactly: number).map { $0 > .min } ?? false
    default: true
    }
  }

  private func matches(_ table: TableSchema) -> String {
    table.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ")
  }

  private func set(_ column: ColumnSchema, _ value: SeedValue, _ table: TableSchema, _ key: [SeedValue])
    throws
  {
    let sql = "UPDATE \(quoted(table.name)) SET \(quoted(column.name)) = ? WHERE \(matches(table))"
    try truth.cached(sql).run([value] + key)
  }

  private func delete(_ name: String) throws {
    guard let table = schema.table(name), let key = try someKey(table) else { return }
    try truth.cached(TableSQL(table).delete).run(key)
  }

  /// Swaps, rotates and chains values of immediate unique constraints.
  private func moveUniqueValues() throws {
    let rows = try truth.rows("SELECT id, slot, name FROM slots").shuffled(using: &random).prefix(4)
    guard rows.count > 1 else { return }
    let isChain = random.chance(30)
    try truth.execute("UPDATE slots SET slot = -1000 - id, name = 'parked ' || id WHERE slot IS NOT NULL")
    for (row, source) in zip(rows, rows.dropFirst() + [rows[0]]) {
      let isEnd = isChain && source[0] == rows[0][0]
      try truth.execute(
        "UPDATE slots SET slot = ?, name = ? WHERE id = ?", isEnd ? .null : source[1],
        isEnd ? .null : source[2], row[0])
    }
  }

  private func someKey(_ table: TableSchema) throws -> [SeedValue]? {
    let key = table.keyNames.map(quoted).joined(separator: ", ")
    let rows = try truth.rows("SELECT \(key) FROM \(quoted(table.name))")
    return rows.isEmpty ? nil : random.pick(rows)
  }

  private func value(_ column: ColumnSchema, _ table: TableSchema) -> SeedValue {
    if !table.foreignKeys.isEmpty, column.affinity == .integer { return smallInteger() }
    if table.keyNames == [column.name], column.affinity == .integer { return smallInteger() }
    if ["slot", "low", "high"].contains(column.name) { return smallInteger() }
    if random.chance(10), !column.isNotNull, !table.keyNames.contains(column.name) { return .null }
    switch column.affinity {
    case .integer: return random.chance(70) ? smallInteger() : HardValues.integer(&random)
    case .text: return HardValues.text(&random)
    case .real: return HardValues.real(&random)
    case .blob, .numeric:
      // SQLite accepts NULL in the key here; publishing rejects it, in a separate test.
      let value = HardValues.any(&random)
      return value == .null && table.keyNames.contains(column.name) ? .integer(0) : value
    }
  }

  private func smallInteger() -> SeedValue { .integer(Int64.random(in: 0...20, using: &random)) }

  // MARK: The origin

  /// Writes the state to an origin whose tables have no types, keys or order.
  package func write(to path: String) throws {
    let origin = try Connection(path, .creator)
    try origin.transaction {
      for table in schema.tables {
        let name = quoted(table.name)
        let columns = table.columnNames.map(quoted).joined(separator: ", ")
        try origin.execute("CREATE TABLE IF NOT EXISTS \(name)(\(columns)); DELETE FROM \(name)")
        let insert = try origin.prepare(TableSQL(table).insert)
        for row in try truth.rows("SELECT \(columns) FROM \(name)").shuffled(using: &random) {
          try insert.run(zip(row, table.columns).map { respelled($0, $1) })
        }
      }
    }
  }

  /// Sometimes returns another type that the client's affinity converts back.
  private func respelled(_ value: SeedValue, _ column: ColumnSchema) -> SeedValue {
    guard random.chance(15) else { return value }
    switch (column.affinity, value) {
    case (.integer, .integer(let number)), (.numeric, .integer(let number)): return .text("\(number)")
    case (.real, .real(let number))
    where number.magnitude < 1e15 && number == number.rounded() && number != 0:
      return .integer(Int64(number))
    case (.real, .real(let number)) where number.isFinite && number != 0: return .text("\(number)")
    default: return value
    }
  }
}
