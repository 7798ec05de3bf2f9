import SeedFormat

/// A rejected row as in the document.
struct RowContent {
  var value: [UInt8]
  /// The original bytes if the row is not JSON or not UTF-8.
  var bytes: [UInt8]?
  /// The fields' names if a CSV record cannot be an object with these names.
  var header: [String]?

  init(value: [UInt8]) { self.value = value }

  /// Creates the content of an unreadable row, with a readable text beside its bytes.
  init(bytes: [UInt8], header: [String]? = nil) {
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
