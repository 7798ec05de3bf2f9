import SeedFormat

extension ImportSession {
  /// Rejects the row on the tape whatever the mapping. This ends the document if bad rows are not allowed in it and it
  /// is not CSV.
  func refuse(_ flaw: RejectedRow, _ list: List, _ range: Range<Int>) throws {
    if let error = source.scanner.flaw, endsAtBadRows { throw failure(error) }
    try refuse(source.placed(flaw), list, content(flaw, range))
  }

  private func content(_ flaw: RejectedRow, _ range: Range<Int>) -> RowContent {
    guard issues.wantsRows else { return RowContent(value: []) }
    let bytes = Array(source.scanner.bytes(range))
    guard let header = source.records?.header?.names else { return RowContent(bytes: bytes) }
    if flaw.code == .notAnObject { return RowContent(fields: source.array(range), header: header) }
    return RowContent(bytes: bytes, header: header)
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
    try refuse(RejectedRow(.malformed, line.error.reason), firstList, RowContent(bytes: line.text))
    try countRow()
    return true
  }

  /// Takes the line on the tape: a rejected row with its list and place.
  func takeAgain() throws {
    let place = writer.place
    defer { writer.place = place }
    let range = source.tape.offset(0)..<source.scanner.offset
    let line: RejectedLine
    do throws(MalformedJSON) {
      line = try RejectedLine(parsing: Array(source.scanner.bytes(range)), json: value)
    } catch {
      return try refuse(
        RejectedRow(.notAnObject, "no line of rejected rows: \(error)"), firstList,
        RowContent(value: source.json(0)))
    }
    writer.place = line.place
    guard lists.indices.contains(line.place.list) else {
      let reason =
        "the row is of list \(line.place.list), which the mapping does not have: use the same mapping"
      return try refuse(RejectedRow(.notAnObject, reason), firstList, line.content)
    }
    try take(line, lists[line.place.list])
  }

  private func take(_ line: RejectedLine, _ list: List) throws {
    if let flaw = line.flaw { return try refuse(flaw, list, line.content) }
    let csv = list.csv ?? CSVFormat()
    // Each record has its own tape, so its shape numbers are not those of the last.
    list.plan.binding = nil
    var row: DocumentSource
    do {
      row = try line.source(csv) { list.plan.empty($0, csv.empty) }
    } catch let error as JSONError {
      return try refuse(RejectedRow(.malformed, error.reason), list, line.content)
    } catch let error as ImportFailure {
      return try refuse(RejectedRow(.malformed, error.message), list, line.content)
    }
    row.numbers = line.place.isRecord ? NumberSpelling(csv) : nil
    if let flaw = row.flaw { return try refuse(row.placed(flaw), list, line.content) }
    try write(list, line.place.name, row)
  }

  /// The row in the line on the tape.
  private var value: [UInt8] {
    source.find(MemberPath(names: ["value"])).map { source.json($0) } ?? []
  }
}
