package import SeedDatabase
import SeedFormat

/// Imports documents, which arrive in pieces, through a connection that nothing else uses. Call `begin`, `feed` and
/// `end` for every document, then `finish`. `abandon` rolls back to the state before the import, or to the last
/// committed batch.
package final class ImportSession {
  private let connection: Connection
  private var frames: DocumentFrames
  private(set) var frame: DocumentFrame
  private let policy: ImportPolicy
  let hooks: ImportHooks
  let lists: [List]
  private let targets: [ImportTarget]
  private let surveys: [MemberSurvey]
  private let lostRows: LostRows
  private let unchecked: UncheckedTables
  let writer: RowTreeWriter
  let issues: IssueCollector
  let turns: TurnCounter
  // Has exclusivity checks, because without them, Swift 6.3.1 never frees the storage of a noncopyable property.
  var source = DocumentSource()
  // Unchecked for speed: every row accesses these, and no accesses overlap.
  @exclusivity(unchecked) private(set) var finder: RowFinder
  @exclusivity(unchecked) private var report = ImportReport()
  @exclusivity(unchecked) private var timer: ProgressTimer
  private let triggers: TriggerSwitch
  @exclusivity(unchecked) var badLine: (error: JSONError, text: [UInt8])?
  private var earlierBytes = 0
  private var listsFound: Set<Int> = []
  @exclusivity(unchecked) private var rowsInTransaction = 0
  private var committed = 0
  private let rowsPerTransaction: Int

  private let isDryRun: Bool

  /// Opens the transaction. The connection must not be in a transaction and must not enforce foreign keys. A dry run
  /// ignores batches and rolls back at the end.
  package init(
    _ connection: Connection, mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    hooks: ImportHooks = ImportHooks(), isDryRun: Bool = false
  ) throws {
    try Self.checkPreconditions(connection, mapping, policy)
    var policy = policy
    if isDryRun { policy.atomicity = .one }
    self.isDryRun = isDryRun
    // Comes before any statement is prepared, because a prepared statement depends on whether triggers run.
    triggers = try TriggerSwitch(connection, areRunning: false)
    let builder = try PlanBuilder(connection, policy, mapping)
    frames = try DocumentFrames(mapping)
    frame = try frames.firstFrame()
    lists = try mapping.lists.map { try List($0, builder) }
    targets = builder.targets.values.sorted { $0.table.name < $1.table.name }
    surveys = builder.surveys
    builder.connectSyncs()
    let syncs = builder.syncs.map(\.sync)
    issues = IssueCollector(policy, hooks)
    turns = builder.turns
    writer = RowTreeWriter(connection, issues, syncs)
    lostRows = LostRows(connection, targets, syncs, policy, issues)
    unchecked = UncheckedTables(connection)
    finder = RowFinder(frame)
    timer = ProgressTimer(hooks)
    rowsPerTransaction = if case .batched(let rows) = policy.atomicity { rows } else { .max }
    (self.connection, self.policy, self.hooks) = (connection, policy, hooks)
    try lostRows.checkTriggers()
    try connection.execute("BEGIN IMMEDIATE")
    try lostRows.begin()
  }

  // MARK: Documents

  var place: RowPlace { writer.place }

  package func begin(_ document: String) throws {
    frame = try frames.frame(of: document)
    writer.place = RowPlace(document: document, row: 1)
    try restartSource()
    finder = RowFinder(frame)
  }

  package func feed(_ bytes: UnsafeRawBufferPointer) throws {
    source.feed(bytes)
    try reportingCommittedRows { try run() }
  }

  @discardableResult
  package func end() throws -> Int {
    source.scanner.complete()
    try reportingCommittedRows { try run() }
    earlierBytes += source.scanner.bytesFed
    listsFound.formUnion(finder.listsFound)
    // Later issues do not belong to a row.
    defer { writer.place = RowPlace() }
    return place.row - 1
  }

  private func run() throws {
    guard source.scanner.passMark() else { return }
    while true {
      if badLine != nil, try !passBadLine() { return try writeCollected() }
      switch try step() {
      case .row(let name): try takeRow(name)
      case .moved: continue
      case .starved, .done: return try writeCollected()
      }
    }
  }

  private func step() throws -> RowFinder.Step {
    do {
      return try finder.step(&source, in: place.document, row: writer.place.row)
    } catch let error as JSONError {
      try refuse(error)
      return .moved
    }
  }

  /// Invalid JSON is a bad row in a document of lines; in any other document, it ends the import.
  private func refuse(_ error: JSONError) throws {
    try writeCollected()
    source.mark(source.scanner.offset)
    (writer.place.offset, writer.place.line) = (error.offset, source.line)
    guard frame.isLines, !endsAtBadRows else { throw failure(error) }
    badLine = (error, [])
  }

  var endsAtBadRows: Bool { policy.badRows == .abort }

  func failure(_ error: JSONError) -> ImportFailure {
    let line = place.line.map { ", line \($0)" } ?? ""
    return ImportFailure(
      .document, "\(place.document): \(error.reason) at byte \(error.offset), in row \(place.row)\(line)")
  }

  private func takeRow(_ name: String?) throws {
    writer.place.offset = source.tape.offset(0)
    defer { writer.place.row += 1 }
    if try take(name) { return try countRow() }
    report.unmatchedRows += 1
    try passBatch()
  }

  func countRow() throws {
    report.rows += 1
    try passBatch()
  }

  /// Imports the row on the tape; returns false if the row does not meet any list's conditions.
  private func take(_ name: String?) throws -> Bool {
    guard let number = selectList() else { return false }
    let (list, flaw, range) = (lists[number], source.flaw, place.offset..<source.scanner.offset)
    if flaw == nil { refill(number, source) }
    if flaw == nil, let given = try? given(name, list),
      try writer.collector.collect((number, name, place.row, range), list.plan, source, given: given)
    {
      if writer.collector.isFull { try writeCollected() }
      return true
    }
    try writeCollected()
    locate(range.lowerBound, number, name)
    if let flaw { try refuse(flaw, list, range) } else { try write(list, name, source) }
    return true
  }

  /// The first list at this path whose conditions the row meets. An unreadable row belongs to the first list.
  private func selectList() -> Int? {
    let numbers = finder.lists
    if numbers.count == 1, lists[numbers[0]].isOpen { return numbers[0] }
    return numbers.first { lists[$0].takes(source) } ?? (source.flaw != nil ? numbers.first : nil)
  }

  private func refill(_ number: Int, _ source: borrowing DocumentSource) {
    if number != frame.first { lists[number].refill(source) }
  }

  func locate(_ offset: Int, _ list: Int, _ name: String?) {
    source.mark(offset)
    (writer.place.list, writer.place.name) = (list, name)
    writer.place.offset = offset
    writer.place.line = source.line
  }

  /// Writes the collected rows together. If SQLite rejects one, writes all of them one by one.
  func writeCollected() throws {
    let place = writer.place
    for row in try writer.collector.write() {
      writer.place.row = row.number
      locate(row.range.lowerBound, row.list, row.name)
      let source = try self.source.again(row.range)
      refill(row.list, source)
      try write(lists[row.list], row.name, source)
    }
    writer.place = place
  }

  func given(_ name: String?, _ list: List) throws(RejectedRow) -> GivenValues {
    guard let name, let target = list.names else { return [] }
    return [(target.column, try writer.evaluator.reader.read(name: name, for: target))]
  }

  // MARK: Batches

  private func passBatch() throws {
    rowsInTransaction += 1
    if rowsInTransaction >= rowsPerTransaction { try commitBatch() }
    guard timer.isDue(rows: report.rows + report.unmatchedRows) else { return }
    if hooks.isCancelled() { throw CancellationError() }
    timer.show(bytes: earlierBytes + source.scanner.offset, rows: report.rows)
  }

  private func resolveDeferred() throws {
    try writeCollected()
    if !writer.store.waiting.isEmpty {
      try lostRows.removeParentless(isLast: false)
      try retryWaiting()
    }
    try lostRows.removeParentless(isLast: true)
  }

  private func commitBatch() throws {
    try resolveDeferred()
    try unchecked.add(changedTables)
    try hooks.willCommit?()
    try connection.execute("COMMIT")
    // Another writer may change these rows before the next batch.
    for target in targets { target.recent.clear() }
    (committed, rowsInTransaction) = (report.rows, 0)
    try connection.execute("BEGIN IMMEDIATE")
  }

  // MARK: Finishing

  /// Runs the checks that need all rows, and commits.
  package func finish() throws -> ImportReport {
    if hooks.isCancelled() { throw CancellationError() }
    try reportingCommittedRows { try complete() }
    if !isDryRun { try hooks.willCommit?() }
    try connection.execute(isDryRun ? "ROLLBACK" : "COMMIT")
    return finalReport()
  }

  private func complete() throws {
    try frames.checkAllCame()
    try writeCollected()
    // Deletes rows first, because the waiting rows, which are retried next, may need unique values of deleted rows.
    try lostRows.removeUnmentioned(absent: absentTables)
    try issues.endRow()
    try resolveDeferred()
    try lostRows.checkShrink()
    let references = ReferencePolicy(
      connection: connection, policy: policy.references, issues: issues, targets: targets)
    lostRows.note(try references.run(touched: tablesToCheck))
    try issues.endRow()
    try SearchIndex.rebuild(over: tablesToCheck, connection)
    try unchecked.remove(tablesToCheck)
    try lostRows.drop()
  }

  /// The tables of lists that no document contained.
  private var absentTables: Set<String> {
    Set(lists.indices.filter { !listsFound.contains($0) }.map { lists[$0].plan.table.name })
  }

  private var changedTables: [String] { targets.filter(\.isTouched).map(\.table.name) }

  /// The changed tables, and those of this import's tables that an earlier, interrupted run changed.
  private var tablesToCheck: Set<String> {
    get throws {
      let suspects = try Set(targets.map(\.table.name)).intersection(unchecked.names)
      return suspects.union(changedTables + lostRows.ofOthers.keys)
    }
  }

  /// A description of the changes that a failure leaves in the database; an ``ImportFailure`` already includes it.
  package var remainder: String? {
    guard committed > 0 else { return nil }
    return "\(committed) rows of the documents are committed and stay: repeat the import to complete it"
  }

  private func reportingCommittedRows(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as ImportFailure {
      guard let remainder else { throw failure }
      throw ImportFailure(failure.code, "\(failure.message); \(remainder)", issue: failure.issue)
    }
  }

  package func abandon() {
    // A second error would hide the original failure.
    try? issues.endRow()
    connection.rollBack()
  }

  private func finalReport() -> ImportReport {
    report.bytes = earlierBytes
    for target in targets {
      report.tables[target.table.name] = target.report
      report.statements += target.statements
    }
    report.statements += lostRows.statements
    for (table, changes) in lostRows.ofOthers {
      report.tables[table, default: .init()].deleted += changes.deleted
      report.tables[table, default: .init()].updated += changes.updated
    }
    report.missing = surveys.flatMap(\.missing)
    report.issues = issues.listed
    report.issueCount = issues.count
    report.duration = timer.elapsed
    timer.end(bytes: report.bytes, rows: report.rows)
    return report
  }
}
