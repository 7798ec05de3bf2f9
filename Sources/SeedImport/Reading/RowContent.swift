import SeedFormat

/// A rejected row as the document has it.
struct RowContent {
  /// As JSON.
  var value: [UInt8]
  /// As it came, where it is no JSON or not UTF-8.
  var bytes: [UInt8]?
  /// The fields' names, where a record of CSV is no object of them.
  var header: [String]?

  init(value: [UInt8]) { self.value = value }

  /// What cannot be read, with a text beside it for people.
  init(bytes: [UInt8], header: [String]? = nil) {
    value = []
    JSONWriter.append(Self.text(bytes), to: &value)
    (self.bytes, self.header) = (bytes, header)
  }

  init(fields: [UInt8], header: [String]) { (value, self.header) = (fields, header) }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes that count: those that came, unless somebody has mended the text beside them.
  func mended(_ value: JSONValue?) -> [UInt8]? {
    guard let bytes, let text = value?.string else { return nil }
    return text == Self.text(bytes) ? bytes : Array(text.utf8)
  }
}

/// A line of rejected rows, on its way in again.
struct RejectedLine {
  let place: RowPlace
  let content: RowContent
  private let mended: [UInt8]?
  private let fields: [JSONValue]?

  /// `json` is the row as the line has it, with the digits that it has there.
  init(parsing line: [UInt8], json: [UInt8]) throws(MalformedJSON) {
    var members = try JSONObjectReader(parsing: line, at: "line")
    var place = RowPlace(document: try members.string("document"))
    place.row = try members.integer("row", from: 0)
    place.offset = try members.integer("offset", from: 0)
    place.line = try members.integerIfPresent("line", from: 1)
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

  /// What is wrong with the row before it is read.
  var flaw: RejectedRow? {
    guard let fields, let header = content.header, fields.count != header.count else { return nil }
    return .fields(fields.count, under: header.count)
  }

  /// The row on a tape: as its document had it, or as somebody has mended it.
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
  /// A record of CSV that has more or fewer fields than the header.
  static func fields(_ count: Int, under width: Int) -> RejectedRow {
    RejectedRow(
      .notAnObject,
      "a record of \(count) field\(count == 1 ? "" : "s") under \(width) name\(width == 1 ? "" : "s")")
  }
}
