package import SeedFormat

/// A row that was not imported, or not with all its nested rows.
public struct ImportReject: Hashable, Sendable {
  /// The issues in the order found; at most a thousand.
  public var issues: [ImportIssue]
  /// The number of issues.
  public var issueCount: Int
  /// The index of its list in the mapping.
  public var list: Int
  /// The row's name if the list is a dictionary.
  public var name: String?
  /// The row as JSON; a JSON string with its text if it cannot be read.
  public var value: [UInt8]

  package static let mostIssues = 1000

  package init(_ issue: ImportIssue, list: Int, name: String?, value: [UInt8]) {
    (issues, issueCount, self.list, self.name, self.value) = ([issue], 1, list, name, value)
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
    let source: [JSONMember] = .init(("list", JSONValue(list)), ("name", name.map(JSONValue.string)))
    let also = issues.count > 1 ? JSONValue.array(issues.dropFirst().map { .object($0.matter) }) : nil
    let rest: [JSONMember] = .init(
      ("also", also), ("issueCount", issueCount > issues.count ? JSONValue(issueCount) : nil))
    var line = JSONValue.object(first.origin + source + first.matter + rest).bytes
    line.removeLast()
    return line + Array(",\"value\":".utf8) + value + [UInt8(ascii: "}")]
  }
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
