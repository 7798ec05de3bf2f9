package import SeedFormat

/// What a session tells its owner on the way.
package struct ImportHooks {
  /// At most ten times a second, and once at the end.
  package var progress: ((ImportProgress) -> Void)?
  /// Every statement that SQLite runs, without its values.
  package var statement: ((String) -> Void)?
  /// Every issue of a rejected row, with the document's row as JSON.
  package var rejected: ((ImportIssue, [UInt8]) throws -> Void)?
  /// Rows of an earlier run are passed over: called with the document and the row where this one goes on.
  package var resumed: ((String, Int) -> Void)?
  /// Looked at between batches.
  package var isCancelled: () -> Bool = { false }
  /// The clock by which progress is shown.
  package var now: () -> ContinuousClock.Instant = { ContinuousClock.now }

  package init() {}
}

/// Imports documents, which come in pieces, into a database that the session has for itself.
///
/// `begin`, `feed` and `end` for every document, then `finish`; or `abandon`, after which the database is as
/// before (as the last batch left it, where batches are committed).
package final class ImportSession {
  private let connection: Connection
  private let frame: DocumentFrame
  private let mapping: ImportMapping
  private let policy: ImportPolicy
  private let hooks: ImportHooks
  private let lists: [List]
  private let targets: [ImportTarget]
  private let writer: RowTreeWriter
  private let collector: RowCollector
  @exclusivity(unchecked) private var collected = CollectedRows()
  private let issues: IssueCollector
  // Checked, unlike its neighbours: without, the compiler (6.3.1) never frees what a noncopyable property holds.
  private var source = DocumentSource()
  // Every row passes through these; nothing else happens to them meanwhile.
  @exclusivity(unchecked) private var finder: RowFinder
  @exclusivity(unchecked) private var report = ImportReport()
  @exclusivity(unchecked) private var pace: ImportPace
  private let cursor: ImportCursor?
  private let leftover: ImportLeftover?
  private var trace: StatementTrace?
  private var earlierBytes = 0
  @exclusivity(unchecked) private var rowsInTransaction = 0
  private let rowsPerTransaction: Int

  /// Opens the transaction. The connection must not be in one, nor enforce foreign keys.
  package init(
    _ connection: Connection, mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    hooks: ImportHooks = ImportHooks()
  ) throws {
    try ImportPreconditions(connection, mapping, policy).check()
    let builder = try PlanBuilder(connection, policy)
    frame = try DocumentFrame(mapping)
    lists = try mapping.lists.map { try List($0, builder) }
    targets = builder.targets.values.sorted { $0.table.name < $1.table.name }
    issues = IssueCollector(policy)
    writer = RowTreeWriter(connection, policy, issues)
    collector = RowCollector(connection, policy, writer)
    finder = RowFinder(frame)
    pace = ImportPace(hooks, rows: policy.batchRows)
    cursor = try ImportCursor(policy.atomicity, mapping, tables: targets.map(\.table.name))
    leftover = cursor == nil ? try ImportLeftover(beside: connection.path) : nil
    rowsPerTransaction = if case .batched(let rows, _) = policy.atomicity { rows } else { .max }
    (self.connection, self.mapping, self.policy, self.hooks) = (connection, mapping, policy, hooks)
    issues.rejected = hooks.rejected
    trace = hooks.statement.map { StatementTrace(connection, $0) }
    try connection.execute("BEGIN IMMEDIATE")
    for (number, target) in targets.enumerated() where target.mode != .merge {
      target.seen = try SeenKeys(target.table, number: number, connection)
    }
  }

  /// One of the mapping's lists.
  private final class List {
    let plan: RowPlan
    /// Where a dictionary's names go.
    let keyColumn: Int?

    init(_ list: ImportMapping.List, _ builder: PlanBuilder) throws {
      plan = try builder.plan(list.table)
      keyColumn =
        if case .dictionary(let name) = list.layout { try builder.column(name, plan.table) } else { nil }
    }
  }

  // MARK: Documents

  private var place: RowPlace { writer.place }

  /// Begins a document; its name stands in issues and in the cursor.
  package func begin(_ document: String) {
    writer.place = RowPlace(document: document)
    cursor?.beginDocument()
    source.scanner.restart()
    finder = RowFinder(frame)
  }

  /// Takes the next piece of the document.
  package func feed(_ bytes: UnsafeRawBufferPointer) throws {
    cursor?.willFeed(source.scanner)
    source.scanner.feed(bytes)
    try tellingOfBatches { try run() }
  }

  /// Ends the document; its rows are counted.
  @discardableResult
  package func end() throws -> Int {
    source.scanner.complete()
    try tellingOfBatches {
      try run()
      try cursor?.endDocument(source.scanner)
    }
    earlierBytes += source.scanner.bytesFed
    return place.row
  }

  private func run() throws {
    while true {
      switch try step() {
      case .row(let name): try take(name)
      case .moved: continue
      case .starved, .done: return try writeCollected()
      }
    }
  }

  private func step() throws -> RowFinder.Step {
    do {
      return try finder.step(&source)
    } catch let error as JSONError {
      try refuse(error)
      return .moved
    } catch let error as ImportFailure {
      throw ImportFailure(error.code, "\(place.document): \(error.message)")
    }
  }

  /// A line that is no JSON is a bad row; any other document is over.
  private func refuse(_ error: JSONError) throws {
    try writeCollected()
    writer.place.offset = error.offset
    if let cursor, cursor.isPassing, frame.isLines {
      writer.place.row += 1
      return finder.passBadLine()
    }
    guard frame.isLines, policy.badRows != .abort else {
      throw ImportFailure(
        .document, "\(place.document): \(error.reason) at byte \(error.offset), in row \(place.row)")
    }
    let plan = lists[0].plan
    plan.reset()
    try issues.reject(plan, Refusal(.malformed, "\(error)"), place, row: [])
    plan.target.hasLostKeys = true
    writer.place.row += 1
    finder.passBadLine()
  }

  private func take(_ name: String?) throws {
    writer.place.offset = source.tape.offset(0)
    defer { writer.place.row += 1 }
    if let cursor, try passes(cursor) { return }
    let list = lists[finder.list]
    if try collector.collect(list.plan, source, given: given(name, list)) {
      collected.append(
        CollectedRow(
          list: finder.list, name: name, row: place.row, offset: place.offset, end: source.scanner.offset))
      if collected.isFull || collector.isFull { try writeCollected() }
    } else {
      try writeCollected()
      try write(list, name, source)
    }
    report.rows += 1
    try passBatch()
  }

  private func passes(_ cursor: ImportCursor) throws -> Bool {
    guard try cursor.passes(place.row, source.scanner) else { return false }
    if !cursor.isPassing {
      report.rowsTakenBefore = cursor.committed
      hooks.resumed?(place.document, place.row + 1)
    }
    return true
  }

  /// Writes one row with what is nested in it.
  private func write(_ list: List, _ name: String?, _ source: borrowing DocumentSource) throws {
    writer.evaluator.reader.bytes.clear()
    try writer.write(list.plan, 0, source, given: given(name, list))
  }

  /// Writes what is collected: together, or row by row, where one of them is refused.
  private func writeCollected() throws {
    guard !collected.rows.isEmpty else { return }
    let isWritten = try collector.write()
    let rows = collected.take(isWritten: isWritten)
    if isWritten { return }
    let place = writer.place
    for row in rows {
      (writer.place.row, writer.place.offset) = (row.row, row.offset)
      try write(lists[row.list], row.name, source.again(row.offset..<row.end))
    }
    writer.place = place
  }

  /// A dictionary's name, for its column; lent.
  private func given(_ name: String?, _ list: List) -> [(column: Int, value: BorrowedValue)] {
    guard let name, let column = list.keyColumn else { return [] }
    return [(column, named(name, column, list.plan.table))]
  }

  /// A dictionary's name as its column wants it.
  private func named(_ name: String, _ column: Int, _ table: TableSchema) -> BorrowedValue {
    let value: SeedValue =
      if table.columns[column].affinity == .integer, let number = Int64(name) {
        .integer(number)
      } else { .text(name) }
    return writer.evaluator.reader.bytes.lend(value)
  }

  // MARK: Batches

  private func passBatch() throws {
    rowsInTransaction += 1
    if rowsInTransaction >= rowsPerTransaction { try commitBatch() }
    guard pace.isDue(rows: report.rows) else { return }
    if hooks.isCancelled() { throw CancellationError() }
    pace.show(bytes: earlierBytes + source.scanner.offset, rows: report.rows)
  }

  /// Writes all rows that came.
  private func resolveDeferred() throws {
    try writeCollected()
    try writer.resolveDeferred()
  }

  private func commitBatch() throws {
    try resolveDeferred()
    try cursor?.announce(place)
    try connection.execute("COMMIT")
    try cursor?.advance(to: place, source.scanner, rows: report.rows)
    rowsInTransaction = 0
    try connection.execute("BEGIN IMMEDIATE")
  }

  // MARK: Ends

  /// Checks what only the whole can show, and commits; or takes all back, where only the report is wanted.
  package func finish(keeping: Bool = true) throws -> ImportReport {
    if hooks.isCancelled() { throw CancellationError() }
    try tellingOfBatches { try complete() }
    try connection.execute(keeping ? "COMMIT" : "ROLLBACK")
    if keeping {
      try cursor?.remove()
      try leftover?.settle(mapping)
    }
    trace = nil
    return finalReport()
  }

  private func complete() throws {
    try cursor?.checkWasReached()
    try resolveDeferred()
    for target in targets { try deleteOthers(target) }
    let tables = tablesToCheck
    try ReferencePolicy(connection, policy.references, issues, place).run(touched: tables)
    try SearchRebuild(connection).run(touched: tables)
    for target in targets { try target.seen?.drop() }
  }

  /// The tables that were touched. What earlier batches did to theirs is not known in detail: where any were
  /// committed and not checked, they are checked whole.
  private var tablesToCheck: Set<String> {
    let hasUncheckedRows = cursor?.isWritten == true || leftover != nil
    let suspects = hasUncheckedRows ? targets : targets.filter(\.isTouched)
    return Set(suspects.map(\.table.name) + (leftover?.tables ?? []))
  }

  /// A failure says what of the import stays all the same.
  private func tellingOfBatches(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as ImportFailure {
      guard let remainder = cursor?.remainder else { throw failure }
      throw ImportFailure(failure.code, "\(failure.message); \(remainder)", issue: failure.issue)
    }
  }

  /// Takes back what was not committed.
  package func abandon() {
    trace = nil
    connection.rollBack()
  }

  private func deleteOthers(_ target: ImportTarget) throws {
    guard let seen = target.seen else { return }
    guard !target.hasLostKeys else {
      let message = "rows that the import does not mention were kept: a rejected row's key is not known"
      return issues.note(Refusal(.notDeleted, message), target.table.name, place)
    }
    let gone = try seen.deleteOthers(policy.reportsKeys)
    target.deleted += gone.count
    target.keys.deleted += gone.keys
  }

  private func finalReport() -> ImportReport {
    report.bytes = earlierBytes
    for target in targets {
      var table = target.report
      if policy.reportsKeys { table.keys = target.keys }
      report.tables[target.table.name] = table
      report.statements += target.statements
    }
    report.issues = issues.listed
    report.issueCount = issues.count
    report.duration = pace.elapsed
    pace.end(bytes: report.bytes, rows: report.rows)
    return report
  }
}

// A session belongs to whoever has its connection.
@available(*, unavailable)
extension ImportSession: Sendable {}
