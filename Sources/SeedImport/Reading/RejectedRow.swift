import SeedDatabase
import SeedFormat

/// The reason why a value or row is rejected, before its place is known.
struct RejectedRow: Error {
  let code: ImportIssue.Code
  var message: String
  var column: String?
  var offset: Int?
  var key: String?
  var table: String?
  var member: MemberPath?

  init(
    _ code: ImportIssue.Code, _ message: String, column: String? = nil, offset: Int? = nil, key: String? = nil
  ) {
    (self.code, self.message) = (code, message)
    (self.column, self.offset, self.key) = (column, offset, key)
  }

  init(_ error: ImportError, _ table: TableSchema) {
    switch error {
    case .constraint(_, let key, let message):
      self.init(Self.code(message), message, column: Self.column(message, table), key: key)
    case .trigger(_, let key, let message):
      self.init(.trigger, "refused by a trigger: \(message)", key: key)
    case .nullInKey(_, let column): self.init(.missingKey, error.description, column: column)
    default: self.init(.check, error.description)
    }
  }

  /// `message` is SQLite's message about a unique conflict.
  init(taken message: String, _ table: TableSchema) {
    self.init(.unique, message, column: Self.column(message, table))
  }

  /// SQLite's messages about constraints start with the kind, followed by a colon and the column.
  private static func code(_ message: String) -> ImportIssue.Code {
    if message.hasPrefix("NOT NULL") { return .notNull }
    if message.hasPrefix("UNIQUE") { return .unique }
    if message.hasPrefix("CHECK") { return .check }
    return message.hasPrefix("cannot store") ? .typeMismatch : .conflict
  }

  private static func column(_ message: String, _ table: TableSchema) -> String? {
    if message.hasPrefix("CHECK") { return checkedColumn(message, table) }
    return table.columnNames.first {
      message.hasSuffix(": \(table.name).\($0)") || message.hasSuffix("column \(table.name).\($0)")
    }
  }

  /// The only column in the expression of a CHECK, which SQLite's message ends with.
  private static func checkedColumn(_ message: String, _ table: TableSchema) -> String? {
    let expression = message.split(separator: ":", maxSplits: 1).last ?? ""
    let words = Set(expression.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    let columns = table.columnNames.filter { words.contains($0[...]) }
    return columns.count == 1 ? columns[0] : nil
  }
}

/// Converts an error about one row to its rejection; other errors end the import.
func rejecting<Result>(_ table: TableSchema, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as ImportError {
    if case .rolledBack = error { throw ImportFailure(.row, error.description) }
    throw RejectedRow(error, table)
  } catch let error as DatabaseError {
    guard [ResultCode.mismatch, ResultCode.constraint].contains(error.primaryCode) else { throw error }
    throw RejectedRow(.typeMismatch, error.message)
  }
}

/// A rejected row as in the document.
struct RowContent {
  var value: [UInt8]
  /// The original bytes if the row is not JSON or not UTF-8.
  var bytes: [UInt8]?
  /// The fields' names if a CSV record cannot be an object with these names.
  var header: [String]?

  init(value: [UInt8]) { self.value = value }

  /// Creates the content of an unreadable row without its line end, with a readable text beside its bytes.
  init(bytes line: [UInt8], header: [String]? = nil) {
    let bytes = Array(line.dropLast(line.reversed().prefix(while: RecordScan.isLineEnd).count))
    value = []
    JSONWriter.append(Self.text(bytes), to: &value)
    (self.bytes, self.header) = (bytes, header)
  }

  init(fields: [UInt8], header: [String]) { (value, self.header) = (fields, header) }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The row's bytes: the original ones, unless the user edited the text beside them.
  func mended(_ value: JSONValue?) -> [UInt8]? {
    guard let bytes, let text = value?.string else { return nil }
    return text == Self.text(bytes) ? bytes : Array(text.utf8)
  }
}

struct RejectedLine {
  let place: RowPlace
  let content: RowContent
  private let mended: [UInt8]?
  private let fields: [JSONValue]?

  /// `json` is the row with the line's own digits.
  init(parsing line: [UInt8], json: [UInt8]) throws(MalformedJSON) {
    var members = try JSONObjectReader(parsing: line, at: "line")
    var place = RowPlace(document: try members.string("document"))
    place.row = try members.integer("row", from: 1)
    place.offset = try members.integer("offset", from: 0)
    place.line = try members.integerIfPresent("line", from: 1)
    place.isRecord = try members.boolIfPresent("csv") ?? false
    place.list = try members.integer("list", from: 0)
    place.name = try members.stringIfPresent("name")
    var content = RowContent(value: json)
    content.header = try members.stringsIfPresent("header")
    let value = try members.take("value")
    if let text = try members.stringIfPresent("bytes") {
      guard let bytes = Base64.decode(text) else { throw members.error("bytes", "expected base64") }
      content.bytes = bytes
    }
    mended = content.mended(value)
    fields = content.header == nil ? nil : value.elements
    (self.place, self.content) = (place, content)
  }

  /// The error in the row that is known before it is read.
  var flaw: RejectedRow? {
    if content.bytes != nil, place.name?.contains(RowFinder.badLetter) == true {
      return RejectedRow(.malformed, RowFinder.badName)
    }
    guard let fields, let header = content.header, fields.count != header.count else { return nil }
    return .fields(fields.count, under: header.count)
  }

  /// Reads the row, original or edited, onto a tape.
  func source(
    _ csv: CSVFormat, _ empties: @escaping (String) -> RecordHeader.Empty
  ) throws -> DocumentSource {
    guard let header = content.header else { return try .again(mended ?? content.value) }
    if let mended { return try .again(record: mended, header, csv, empties) }
    guard let fields else { return try .again(content.value) }
    return try .again(
      JSONValue.object(zip(RecordHeader.distinct(header), fields).map { JSONMember($0, $1) }).bytes)
  }
}

extension RejectedRow {
  /// The rejection of a CSV record whose number of fields differs from the header's.
  static func fields(_ count: Int, under width: Int) -> RejectedRow {
    RejectedRow(
      .notAnObject,
      "a record of \(count) field\(count == 1 ? "" : "s") under \(width) name\(width == 1 ? "" : "s")")
  }
}
