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
    while !rest.isEmpty { if let step = step() { steps.append(step) } }
    return steps
  }

  private mutating func step() -> MemberPath.Step? {
    if let step = bracketed() {
      passDot()
      return step
    }
    let end = nameEnd
    let name = String(rest[..<end])
    rest = rest[end...]
    passDot()
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

  /// The end of a name: before the next dot or a bracket that starts a step.
  private var nameEnd: Substring.Index {
    rest.indices.first { index in
      index > rest.startIndex && Self.isStep(rest[index...]) || rest[index] == "."
    } ?? rest.endIndex
  }

  private static func isStep(_ text: Substring) -> Bool {
    guard text.first == "[" else { return false }
    let inner = text.dropFirst()
    if inner.first.map({ quotes.contains($0) }) == true { return true }
    let digits = inner.prefix { $0.isASCII && $0.isNumber }
    return Int(digits) != nil && inner.dropFirst(digits.count).first == "]"
  }

  private static let quotes: [Character] = ["\"", "'"]

  private mutating func bracketed() -> MemberPath.Step? {
    guard Self.isStep(rest) else { return nil }
    let inner = rest.dropFirst()
    guard let quote = inner.first, Self.quotes.contains(quote) else {
      let digits = inner.prefix { $0 != "]" }
      rest = inner.dropFirst(digits.count + 1)
      return Int(digits).map { .element($0) }
    }
    let name = inner.dropFirst().prefix { $0 != quote }
    rest = inner.dropFirst(name.count + 1)
    if !rest.hasPrefix("\(quote)]") { flaw = "a name in brackets is not closed by \(quote)]" }
    rest = rest.dropFirst(2)
    return .member(String(name))
  }

  private mutating func passDot() {
    guard rest.hasPrefix(".") else { return }
    rest.removeFirst()
    if rest.isEmpty { flaw = "a name is missing beside a dot" }
  }
}
