package import SeedFormat

/// A row that was not imported, or not with all its nested rows. Rejected rows written one per line are a document that
/// the same mapping can import again.
public struct ImportReject: Hashable, Sendable {
  /// The issues in the order found; at most a thousand.
  public var issues: [ImportIssue]
  /// The number of issues.
  public var issueCount: Int
  /// The index of its list in the mapping.
  public var list: Int
  /// The row's name if the list is a dictionary.
  public var name: String?
  /// The row as JSON. If the source's row is not JSON, a JSON string with its text.
  public var value: [UInt8]
  /// The row's bytes if it is not JSON or not UTF-8. CSV is UTF-8 here because its encoding is already converted.
  public var bytes: [UInt8]?
  /// The fields' names if a CSV record has another number of fields or is kept as bytes.
  public var header: [String]?

  /// Whether the row is a CSV record, whose numbers are spelled as in CSV.
  public var isRecord: Bool

  package static let mostIssues = 1000

  package init(
    _ issue: ImportIssue, list: Int, name: String?, value: [UInt8], bytes: [UInt8]? = nil,
    header: [String]? = nil, isRecord: Bool = false
  ) {
    (issues, issueCount, self.list, self.name) = ([issue], 1, list, name)
    (self.value, self.bytes, self.header, self.isRecord) = (value, bytes, header, isRecord)
  }

  mutating func add(_ issue: ImportIssue) {
    issueCount += 1
    if issues.count < Self.mostIssues { issues.append(issue) }
  }
}

extension ImportReject {
  /// The row as a line, without its end: the members of its first issue, `also` with further ones, and the row.
  public var json: [UInt8] {
    let first = issues[0]
    let source: [JSONMember] = .init(
      ("list", JSONValue(list)), ("csv", isRecord ? .bool(true) : nil), ("name", name.map(JSONValue.string)),
      ("header", header.map(JSONValue.init(strings:))))
    let also = issues.count > 1 ? JSONValue.array(issues.dropFirst().map { .object($0.matter) }) : nil
    let rest: [JSONMember] = .init(
      ("also", also), ("issueCount", issueCount > issues.count ? JSONValue(issueCount) : nil),
      ("bytes", bytes.map { .string(Base64.encode($0)) }))
    var line = JSONValue.object(first.origin + source + first.matter + rest).bytes
    line.removeLast()
    return line + Array(",\"value\":".utf8) + (value.isEmpty ? Array("null".utf8) : value) + [
      UInt8(ascii: "}")
    ]
  }

  /// Whether the document's first bytes are those of a rejected row.
  package static func begin(_ document: [UInt8]) -> Bool {
    var scanner = JSONScanner()
    document.withUnsafeBytes { scanner.feed($0) }
    var names: [String] = []
    guard (try? scanner.next()) == .beginObject else { return false }
    while names.count < opening.count, case .name(let name)? = try? scanner.next() {
      if name != "line" { names.append(name) }
      guard let value = try? scanner.next(), value != .starved else { return false }
    }
    return names == opening
  }

  /// The members that begin every line, beside `line`.
  private static let opening = ["document", "row", "offset", "list"]

  /// Enough bytes to recognise a document of rejected rows, unless its name is extremely long.
  package static let openingBytes = 16 * 1024
}

extension ImportIssue {
  fileprivate var origin: [JSONMember] {
    .init(
      ("document", .string(document)), ("row", JSONValue(row)), ("offset", JSONValue(offset)),
      ("line", line.map(JSONValue.init)))
  }

  fileprivate var matter: [JSONMember] {
    .init(
      ("table", .string(table)), ("key", key.map(JSONValue.string)), ("column", column.map(JSONValue.string)),
      ("member", (member?.description).map(JSONValue.string)), ("code", .string(code.rawValue)),
      ("message", .string(message)))
  }

  package var json: JSONValue { .object(document.isEmpty ? matter : origin + matter) }
}
