package import SeedFormat

/// A row of a document that was not taken in, or not with all that is nested in it. Written as lines, one for each, such
/// rows are a document of their own, which an import by the same mapping takes in again.
public struct ImportReject: Hashable, Sendable {
  /// What is wrong with it, in the order in which that was found; the first thousand.
  public var issues: [ImportIssue]
  /// How much is wrong with it.
  public var issueCount: Int
  /// The number of its list in the mapping, from 0.
  public var list: Int
  /// Its name, where the list is a dictionary.
  public var name: String?
  /// The row as JSON; a string where it is none.
  public var value: [UInt8]
  /// The row as it came, where it is no JSON or not UTF-8. CSV counts as UTF-8 after its encoding was undone.
  public var bytes: [UInt8]?
  /// The names of the fields, where a record of CSV has others, or bytes.
  public var header: [String]?

  /// Issues that one row keeps.
  package static let mostIssues = 1000

  package init(
    _ issue: ImportIssue, list: Int, name: String?, value: [UInt8], bytes: [UInt8]? = nil,
    header: [String]? = nil
  ) {
    (issues, issueCount, self.list, self.name) = ([issue], 1, list, name)
    (self.value, self.bytes, self.header) = (value, bytes, header)
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
    let place: [JSONMember] = .init(
      ("document", .string(first.document)), ("row", JSONValue(first.row)),
      ("offset", JSONValue(first.offset)),
      ("line", first.line.map(JSONValue.init)), ("list", JSONValue(list)),
      ("name", name.map(JSONValue.string)),
      ("header", header.map(JSONValue.init(strings:))))
    let also = issues.count > 1 ? JSONValue.array(issues.dropFirst().map { .object($0.matter) }) : nil
    let rest: [JSONMember] = .init(
      ("also", also), ("issueCount", issueCount > issues.count ? JSONValue(issueCount) : nil),
      ("bytes", bytes.map { .string(Base64.encode($0)) }))
    var line = JSONValue.object(place + first.matter + rest).bytes
    line.removeLast()
    return line + Array(",\"value\":".utf8) + (value.isEmpty ? Array("null".utf8) : value) + [
      UInt8(ascii: "}")
    ]
  }

  /// Whether a document that begins so is one of rejected rows.
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

  /// The members that every line begins with, beside `line`.
  private static let opening = ["document", "row", "offset", "list"]

  /// Bytes of a document that are enough to see how it begins, unless its name is longer than any.
  package static let openingBytes = 16 * 1024
}

extension ImportIssue {
  /// All but the place.
  fileprivate var matter: [JSONMember] {
    .init(
      ("table", .string(table)), ("key", key.map(JSONValue.string)), ("column", column.map(JSONValue.string)),
      ("field", field.map(JSONValue.string)), ("code", .string(code.rawValue)), ("message", .string(message)))
  }

  /// As the report has it.
  package var json: JSONValue {
    guard !document.isEmpty else { return .object(matter) }
    return .object(
      .init(
        ("document", .string(document)), ("row", JSONValue(row)), ("offset", JSONValue(offset)),
        ("line", line.map(JSONValue.init))) + matter)
  }
}
