import SeedFormat

// Rows that wait for unique values and are retried at the end of a transaction.
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

  /// Retries waiting rows: first from last to first, because values mostly move along a list in its order; then in
  /// document order, which rejects rows whose values are still taken.
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
    var source = try DocumentSource.again(row.json)
    source.numbers = list.csv.map(NumberSpelling.init)
    let isDecided = try writeRow(list, row.place.name, source)
    if isDecided { try issues.endRow() } else { issues.dropRow() }
    return isDecided
  }
}
