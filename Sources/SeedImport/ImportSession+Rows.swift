import SeedFormat

// Rows that wait for a unique value and are retried at the end of the transaction.
extension ImportSession {
  func write(_ list: List, _ name: String?, _ source: borrowing DocumentSource) throws {
    let turn = turns.latest
    if try writeRow(list, name, source) { return try issues.endRow() }
    issues.dropRow()
    turns.latest = turn
    try writer.mention(list.plan, source, given: given(name, list))
    try writer.store.waiting.add(source.json(0), place, turn: turn)
  }

  /// Returns false if the row has to wait.
  private func writeRow(_ list: List, _ name: String?, _ source: borrowing DocumentSource) throws -> Bool {
    writer.evaluator.reader.bytes.clear()
    let given: GivenValues
    do throws(RejectedRow) {
      given = try self.given(name, list)
    } catch {
      list.plan.reset()
      try writer.reject(list.plan, error, source)
      return true
    }
    return try writer.write(list.plan, source, given: given)
  }

  /// Retries waiting rows in reverse order, because often each row takes the value of the row after it. Then retries
  /// the remaining rows in document order, and rejects those whose values are still taken.
  func retryWaiting() throws {
    let (waiting, place, turn) = (writer.store.waiting, writer.place, turns.latest)
    defer { (writer.place, turns.latest, writer.decides) = (place, turn, false) }
    waiting.open()
    for isLast in [false, true] {
      writer.decides = isLast
      try waiting.forEach(backwards: !isLast) { try retry($0) }
    }
    try waiting.close()
  }

  /// Returns false if the row still has to wait.
  private func retry(_ row: WaitingRows.Row) throws -> Bool {
    if hooks.isCancelled() { throw CancellationError() }
    (writer.place, turns.latest) = (row.place, row.turn)
    let list = lists[row.place.list]
    let source = try DocumentSource.again(row.json, isRecord: list.csv != nil)
    let isDecided = try writeRow(list, row.place.name, source)
    if isDecided { try issues.endRow() } else { issues.dropRow() }
    return isDecided
  }
}

// Rows and lines that cannot be read.
extension ImportSession {
  /// Rejects the row on the tape, which cannot be read. If bad rows end the import, invalid JSON is reported as an
  /// error of the document.
  func refuse(_ flaw: RejectedRow, _ list: List, _ range: Range<Int>) throws {
    if let error = source.scanner.flaw, endsAtBadRows { throw failure(error) }
    try refuse(flaw, list) { Array(source.scanner.bytes(range)) }
  }

  /// Rejects an unreadable row. The report contains its text as a JSON string, because the row is not valid JSON.
  private func refuse(_ refusal: RejectedRow, _ list: List, _ text: () -> [UInt8]) throws {
    list.plan.reset()
    // The row may belong to any list at this path, and its key is unknown.
    for number in finder.lists { lists[number].plan.targets.loseKeys() }
    try issues.reject(list.plan, refusal, place) { Self.json(unreadable: text()) }
    try issues.endRow()
  }

  private static func json(unreadable text: [UInt8]) -> [UInt8] {
    let lineEnd = text.reversed().prefix(while: RecordScan.isLineEnd)
    return JSONValue.string(String(decoding: text.dropLast(lineEnd.count), as: UTF8.self)).bytes
  }

  /// Skips the line as a bad row; returns false if the end of the line has not arrived.
  func passBadLine() throws -> Bool {
    let start = source.scanner.offset
    let isPassed = source.scanner.skipLine()
    if issues.wantsRows { badLine?.text += source.scanner.bytes(start..<source.scanner.offset) }
    guard let line = badLine else { return true }
    // A report keeps the line in memory. If the line is too long for that, the document does not consist of lines.
    guard line.text.count <= RowFinder.longestRow else { throw failure(line.error) }
    guard isPassed else { return false }
    badLine = nil
    defer { writer.place.row += 1 }
    writer.place.list = frame.first
    try refuse(RejectedRow(.malformed, line.error.reason), lists[frame.first]) { line.text }
    try countRow()
    return true
  }
}
