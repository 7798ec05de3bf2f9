import SeedClient
import SeedDatabase
import SeedFormat

extension TestPublication {
  func put(_ values: [String: SeedValue], in table: String) throws {
    let row = try TargetRow(table, values, schema)
    let key = try row.ownKey()
    try run("DELETE FROM \(row.name) WHERE \(row.isKey)", key, row, key)
    let columns = row.columns.map(quoted).joined(separator: ", ")
    let marks = row.columns.map { _ in "?" }.joined(separator: ", ")
    try run("INSERT INTO \(row.name)(\(columns)) VALUES (\(marks))", row.values, row, key)
  }

  func update(_ key: [SeedValue], in table: String, to values: [String: SeedValue]) throws {
    let row = try TargetRow(table, values, schema)
    try row.check(key)
    guard !row.columns.isEmpty else { return }
    let sets = row.columns.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    try run("UPDATE \(row.name) SET \(sets) WHERE \(row.isKey)", row.values + key, row, key)
    if copy.changes == 0 { throw row.absent(key) }
  }

  func delete(_ key: [SeedValue], from table: String) throws {
    let row = try TargetRow(table, [:], schema)
    try row.check(key)
    try run("DELETE FROM \(row.name) WHERE \(row.isKey)", key, row, key)
    if copy.changes == 0 { throw row.absent(key) }
  }

  private func run(_ sql: String, _ values: [SeedValue], _ row: TargetRow, _ key: [SeedValue]) throws {
    do {
      try copy.prepare(sql).run(values)
    } catch {
      let known = row.table.columnNames.map { row.value(of: $0) }
      let conflict = try UniqueConflict(copy, row.table).conflict(of: error.message, known)
      throw TestPublisherError(
        "\(row.place(key)): \(conflict ?? error.message): give the row values that the schema allows")
    }
  }
}

struct TargetRow {
  let table: TableSchema
  let columns: [String]
  let values: [SeedValue]

  init(_ name: String, _ values: [String: SeedValue], _ schema: DatabaseSchema) throws(TestPublisherError) {
    guard let table = schema.table(name) else {
      throw TestPublisherError(
        "there is no table \"\(name)\"" + Self.advice(name, schema.tables.map(\.name)))
    }
    let sorted = values.sorted { $0.key < $1.key }
    columns = try sorted.map { value throws(TestPublisherError) in try Self.column(value.key, table) }
    (self.table, self.values) = (table, sorted.map(\.value))
  }

  private static func column(_ name: String, _ table: TableSchema) throws(TestPublisherError) -> String {
    let names = table.columnNames
    if case .one(let index) = ColumnMatch(name, in: names) { return names[index] }
    throw TestPublisherError("table \"\(table.name)\" has no column \"\(name)\"" + advice(name, names))
  }

  private static func advice(_ name: String, _ known: [String]) -> String {
    nearestName(to: name, in: known).map { ": did you mean \"\($0)\"?" }
      ?? ": it has \(known.joined(separator: ", "))"
  }

  var name: String { quoted(table.name) }

  var isKey: String { table.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ") }

  func value(of column: String) -> SeedValue? { columns.firstIndex(of: column).map { values[$0] } }

  func ownKey() throws(TestPublisherError) -> [SeedValue] {
    try table.keyNames.map { column throws(TestPublisherError) in
      guard let value = value(of: column), value != .null else {
        throw TestPublisherError(
          "table \"\(table.name)\": a row without \"\(column)\" has no key: give it a value (\(shown))")
      }
      return value
    }
  }

  private var shown: String { rowDescription(columns, values) }

  func check(_ key: [SeedValue]) throws(TestPublisherError) {
    guard key.count != table.key.count else { return }
    throw TestPublisherError(
      "table \"\(table.name)\": the key has \(table.keyNames.joined(separator: ", ")), but \(key.count) values were "
        + "given: give one for each, in that order")
  }

  func place(_ key: [SeedValue]) -> String {
    "table \"\(table.name)\", row \(rowDescription(table.keyNames, key))"
  }

  func absent(_ key: [SeedValue]) -> TestPublisherError {
    TestPublisherError(
      "\(place(key)): there is no such row: put the row first, or give the key of an existing row")
  }
}

extension TestPublication {
  /// Publishes changes as the next version; without changes, only if no version exists yet.
  func publish(_ changes: RowChanges) throws {
    try publish { for change in changes.changes { try change(self) } }
  }

  func publish(sql: String) throws {
    try publish {
      do {
        try copy.run(script: sql)
      } catch { throw TestPublisherError("\(error): write statements that change rows of this schema") }
      guard copy.isInTransaction else {
        throw TestPublisherError(
          "the statements end the transaction that they run in: omit BEGIN, COMMIT and ROLLBACK")
      }
    }
  }

  /// Runs `change` in a transaction, computes the difference, rolls back, and publishes the difference.
  private func publish(_ change: () throws -> Void) throws {
    let edits = try edits(change).filter { !$0.upserts.isEmpty || !$0.deletes.isEmpty }
    guard head == 0 || !edits.isEmpty else { return }
    do {
      try publish(edits)
    } catch let error as ImportError {
      throw TestPublisherError("\(error): change the rows so that they satisfy the schema")
    }
  }

  private func edits(_ change: () throws -> Void) throws -> [TableEdit] {
    let before = try allRows()
    let layout = try copy.integer("PRAGMA schema_version")
    try copy.execute("BEGIN")
    defer { copy.rollBack() }
    try change()
    guard try copy.integer("PRAGMA schema_version") == layout else {
      throw TestPublisherError(
        "the statements change the schema: a new schema is a new model, so create another TestPublisher with it"
      )
    }
    return zip(try allRows(), before).map { $0.edit(since: $1) }
  }

  private func allRows() throws -> [TableRows] { try schema.tables.map { try TableRows($0, copy) } }
}
