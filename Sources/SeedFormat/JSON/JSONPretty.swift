extension JSONValue {
  /// Formatted for people: two spaces, a line per member, arrays of plain values on one line.
  package var prettyText: String { pretty(indent: "") + "\n" }

  private func pretty(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.map { JSONValue.string($0.name).text + ": " + $0.value.pretty(indent: inner) }
      return Self.block("{", lines, "}", indent)
    case .array(let elements) where elements.contains(where: \.isContainer):
      return Self.block("[", elements.map { $0.pretty(indent: inner) }, "]", indent)
    case .array(let elements): return "[" + elements.map(\.text).joined(separator: ", ") + "]"
    default: return text
    }
  }

  private var isContainer: Bool { members != nil || elements != nil }

  private static func block(_ open: String, _ lines: [String], _ close: String, _ indent: String) -> String {
    let body = lines.map { "\n\(indent)  \($0)" }.joined(separator: ",")
    return "\(open)\(body)\n\(indent)\(close)"
  }
}
