/// A path from a value through nested objects and arrays, such as `$.data.items`, `address.city`, `coordinates[0]` or
/// `["a.b"]`; `$` is the value.
public struct MemberPath: Hashable, Sendable {
  /// One step of a path.
  public enum Step: Hashable, Sendable {
    /// The member with this name.
    case member(String)
    /// The element at this index.
    case element(Int)
  }

  /// The steps, outermost first.
  public let steps: [Step]

  /// Creates a path from steps.
  public init(steps: [Step]) { self.steps = steps }

  /// Creates a path from names, which may contain dots and brackets.
  public init(names: [String]) { steps = names.map { .member($0) } }

  /// Parses a path; a leading `$.` is optional, and consecutive dots count as one. A name with dots or brackets is
  /// written in brackets and single or double quotation marks.
  public init(_ text: String) {
    var parser = PathParser(text)
    steps = parser.steps()
  }

  /// Parses a path from a file, and throws a description of the problem.
  package init(checking text: String) throws(InvalidPath) {
    var parser = PathParser(text)
    steps = parser.steps()
    if let flaw = parser.flaw { throw InvalidPath(description: flaw) }
  }

  /// The names, if no step is an element.
  var names: [String]? {
    var names: [String] = []
    for step in steps {
      guard case .member(let name) = step else { return nil }
      names.append(name)
    }
    return names
  }
}

package struct InvalidPath: Error {
  package let description: String
}

extension MemberPath: ExpressibleByStringLiteral {
  /// Parses a path.
  public init(stringLiteral value: String) { self.init(value) }
}

extension MemberPath: CustomStringConvertible {
  /// The path with its leading `$`.
  public var description: String { "$" + steps.map(\.description).joined() }
}

extension MemberPath.Step: CustomStringConvertible {
  /// The step in a path's text.
  public var description: String {
    switch self {
    case .element(let number): "[\(number)]"
    case .member(let name) where name.isEmpty || name.contains { ".[".contains($0) }: "[\"\(name)\"]"
    case .member(let name): ".\(name)"
    }
  }
}

private struct PathParser {
  private var rest: Substring
  private(set) var flaw: String?

  init(_ text: String) { rest = text[...] }

  mutating func steps() -> [MemberPath.Step] {
    if rest == "$" || rest.hasPrefix("$.") || rest.hasPrefix("$[") { rest.removeFirst() }
    var steps: [MemberPath.Step] = []
    if rest.hasPrefix(".") { rest.removeFirst() }
    while !rest.isEmpty {
      if let step = bracketed() ?? name() { steps.append(step) }
      guard rest.hasPrefix(".") else { continue }
      rest.removeFirst()
      if rest.isEmpty { flaw = "a name is missing beside a dot" }
    }
    return steps
  }

  private mutating func bracketed() -> MemberPath.Step? {
    guard let (step, end) = Self.bracketed(rest) else { return nil }
    rest = rest[end...]
    return step
  }

  /// The element's number or the quoted name in brackets at the text's start, and their end.
  private static func bracketed(_ text: Substring) -> (MemberPath.Step, end: Substring.Index)? {
    guard let match = text.prefixMatch(of: #/\[(?:([0-9]+)|"([^"]*)"|'([^']*)')\]/#) else { return nil }
    if let name = match.2 ?? match.3 { return (.member(String(name)), match.range.upperBound) }
    return match.1.flatMap { Int($0) }.map { (.element($0), match.range.upperBound) }
  }

  private mutating func name() -> MemberPath.Step? {
    let end = rest.indices.first { index in
      rest[index] == "." || index > rest.startIndex && Self.bracketed(rest[index...]) != nil
    }
    let name = String(rest[..<(end ?? rest.endIndex)])
    rest = rest.dropFirst(name.count)
    if name.isEmpty { flaw = "a name is missing beside a dot" }
    if Self.isBracketed(name) {
      flaw =
        "\"\(name)\" has no element's number in its brackets: write [0], or [\"\(name)\"] for a name with brackets"
    }
    return name.isEmpty ? nil : .member(name)
  }

  /// Whether the name was probably meant as an element; `Price [EUR]` is a name.
  private static func isBracketed(_ name: String) -> Bool {
    guard let bracket = name.firstIndex(of: "[") else { return false }
    return bracket == name.startIndex || !name[name.index(before: bracket)].isWhitespace
  }
}
