import SeedDatabase
import SeedFormat

extension TestPublication {
  /// Publishes changes as the next version. Without changes, publishes only a first version.
  func publish(_ changes: RowChanges) throws {
    if let failure = changes.failure { throw failure }
    try publish { connection in
      let writer = RowWriter(connection: connection, schema: schema)
      for change in changes.changes { try writer.write(change) }
    }
  }

  func publish(sql: String) throws {
    try publish { connection in
      do {
        try connection.run(script: sql)
      } catch { throw TestPublisherError("\(error): write statements that change rows of this schema") }
      guard connection.isInTransaction else {
        throw TestPublisherError(
          "the statements end the transaction that they run in: leave out BEGIN, COMMIT and ROLLBACK")
      }
    }
  }

  /// Changes rows, computes the difference, rolls back, and publishes the difference, as all changes are published.
  private func publish(_ change: (Connection) throws -> Void) throws {
    let edits = try edits(change).filter { !$0.upserts.isEmpty || !$0.deletes.isEmpty }
    guard head == 0 || !edits.isEmpty else { return }
    do {
      try publish(edits)
    } catch let error as ImportError {
      throw TestPublisherError("\(error): publish rows that fit together")
    }
  }

  private func edits(_ change: (Connection) throws -> Void) throws -> [TableEdit] {
    let before = try allRows()
    let layout = try copy.integer("PRAGMA schema_version")
    try copy.execute("BEGIN")
    defer { copy.rollBack() }
    try change(copy)
    guard try copy.integer("PRAGMA schema_version") == layout else {
      throw TestPublisherError(
        "the statements change the schema: a new schema is a new model, so make another TestPublisher with it"
      )
    }
    return zip(try allRows(), before).map { $0.edit(since: $1) }
  }

  private func allRows() throws -> [TableRows] { try schema.tables.map { try TableRows($0, copy) } }
}
