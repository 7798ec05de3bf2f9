import SeedFormat

extension ImportSession {
  /// Rejects the row on the tape whatever the mapping. This ends the document if bad rows are not allowed in it and it
  /// is not CSV.
  func refuse(_ flaw: RejectedRow, _ list: List, _ range: Range<Int>) throws {
    if let error = source.scanner.flaw, endsAtBadRows { throw failure(error) }
    try refuse(source.placed(flaw), list) { Array(source.scanner.bytes(range)) }
  }

  /// Rejects a row that cannot be read; its text replaces its JSON.
  private func refuse(_ refusal: RejectedRow, _ list: List, _ text: () -> [UInt8]) throws {
    list.plan.reset()
    list.plan.target.hasLostKeys = true
    try issues.reject(list.plan, refusal, place) { Self.json(unreadable: text()) }
    try issues.endRow()
  }

  private static func json(unreadable text: [UInt8]) -> [UInt8] {
    let lineEnd = text.reversed().prefix(while: RecordScan.isLineEnd)
    var json: [UInt8] = []
    JSONWriter.append(String(decoding: text.dropLast(lineEnd.count), as: UTF8.self), to: &json)
    return json
  }

  struct BadLine {
    let error: JSONError
    var text: [UInt8] = []
  }

  /// Skips the line as a bad row; returns false if its end has not arrived.
  func passBadLine() throws -> Bool {
    let start = source.scanner.offset
    let isPassed = source.scanner.skipLine()
    if issues.wantsRows { badLine?.text += source.scanner.bytes(start..<source.scanner.offset) }
    guard let line = badLine else { return true }
    // Rejected rows are kept in full. A longer line means that the document is not made of lines.
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
