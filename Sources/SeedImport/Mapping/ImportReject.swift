package import SeedFormat

/// A row that was not imported, or not with all its nested rows.
public struct ImportReject: Hashable, Sendable {
  /// The row's first issue; the report has all.
  public var issue: ImportIssue
  /// The index of its list in the mapping.
  public var list: Int
  /// The row's name if the list is a dictionary.
  public var name: String?
  /// The row as JSON; a JSON string with its text if it cannot be read.
  public var value: [UInt8]

  package init(_ issue: ImportIssue, list: Int, name: String?, value: [UInt8]) {
    (self.issue, self.list, self.name, self.value) = (issue, list, name, value)
  }

  /// The row as a line, without its end: the members of its issue, and the row.
  public var json: [UInt8] {
    let source: [JSONMember] = .init(("list", JSONValue(list)), ("name", name.map(JSONValue.string)))
    let members = JSONValue.object(issue.origin + source + issue.matter).bytes
    return members.dropLast() + Array(",\"value\":".utf8) + value + [UInt8(ascii: "}")]
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
