/// The entity tags of a condition such as `If-Match` (RFC 9110, 13.1.1 and 13.1.2).
struct EntityTagCondition {
  /// Valid tags with quotes and `W/`; nil for `*`, which matches any representation.
  private let tags: [String]?

  init?(_ name: String, of headers: HTTPHeaders) {
    let values = headers.values(of: name)
    guard !values.isEmpty else { return nil }
    tags = values == ["*"] ? nil : values.flatMap(Self.tags)
  }

  /// Strong comparison: a weak tag never matches.
  func containsStrongly(_ tag: String?) -> Bool {
    guard let tags else { return true }
    return tag.map(tags.contains) ?? false
  }

  /// Weak comparison: a weak tag matches the strong one.
  func containsWeakly(_ tag: String?) -> Bool {
    containsStrongly(tag) || containsStrongly(tag.map { "W/\($0)" })
  }

  // Not split at commas, because tags may contain them.
  private static func tags(of value: String) -> [String] {
    var tags: [String] = []
    var rest = Substring(value)
    while let start = rest.firstIndex(where: { !separators.contains($0) }) {
      rest = rest[start...]
      let end = end(ofTagAt: rest)
      if let end { tags.append(String(rest[..<end])) }
      rest = rest[(end ?? rest.firstIndex(of: ",") ?? rest.endIndex)...]
    }
    return tags
  }

  private static func end(ofTagAt text: Substring) -> Substring.Index? {
    let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text
    guard opaque.first == "\"" else { return nil }
    let quote = opaque.dropFirst().firstIndex(of: "\"")
    guard let quote, isContent(opaque[opaque.index(after: opaque.startIndex)..<quote]) else { return nil }
    return text.index(after: quote)
  }

  /// RFC 9110, 8.8.3, `etagc`.
  private static func isContent(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 || $0 >= 0x80 }
  }

  private static let separators: Set<Character> = [",", " ", "\t"]
}
