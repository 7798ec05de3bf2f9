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

  /// Parses a path; a leading `$.` is optional. A name with dots or brackets is written in brackets and quotation
  /// marks. Text that is not a path is used as a name.
  public init(_ text: String) { steps = Self.parse(text).steps }

  /// Parses a path from a file, and throws a description of the problem.
  package init(checking text: String) throws(InvalidPath) {
    let (steps, flaw) = Self.parse(text)
    if let flaw { throw InvalidPath(description: flaw) }
    self.steps = steps
  }

  /// The names, if no step is an element.
  var names: [String]? {
    let names = steps.compactMap { step -> String? in
      if case .member(let name) = step { name } else { nil }
    }
    return names.count == steps.count ? names : nil
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
  /// The step as it is written in a path.
  public var description: String {
    switch self {
    case .element(let number): "[\(number)]"
    case .member(let name) where name.isEmpty || name.contains { ".[".contains($0) }: "[\"\(name)\"]"
    case .member(let name): ".\(name)"
    }
  }
}

extension MemberPath {
  private static func parse(_ text: String) -> (steps: [Step], flaw: String?) {
    var (rest, steps) = (text[...], [Step]())
    if rest == "$" || rest.hasPrefix("$.") || rest.hasPrefix("$[") { rest.removeFirst() }
    if rest.hasPrefix(".") { rest.removeFirst() }
    var isOpen = false
    while !rest.isEmpty {
      guard let (step, end) = Self.step(rest) else {
        return (steps + [.member(String(rest))], flaw(text, rest))
      }
      steps.append(step)
      rest = rest[end...]
      isOpen = rest.hasPrefix(".")
      if isOpen { rest.removeFirst() }
    }
    return (steps, isOpen ? flaw(text, rest) : nil)
  }

  /// The first step of the text, and its end: an index or a quoted name in brackets, or a bare name.
  private static func step(_ text: Substring) -> (Step, end: Substring.Index)? {
    guard let match = text.prefixMatch(of: #/\[([0-9]+)\]|\[(["'])(.*?)\2\]|([^.\[]+)/#) else { return nil }
    let end = match.range.upperBound
    if let name = match.3 ?? match.4 { return (.member(String(name)), end) }
    return match.1.flatMap { Int($0) }.map { (.element($0), end) }
  }

  private static func flaw(_ text: String, _ rest: Substring) -> String {
    guard rest.hasPrefix("[") else { return "a name is missing beside a dot" }
    let start = text[..<rest.startIndex].lastIndex(of: ".").map(text.index(after:)) ?? text.startIndex
    let name = text[start...].prefix { $0 != "." }
    return
      "\"\(name)\" has no number in its brackets: write [0] for an element, or [\"\(name)\"] for a name with brackets"
  }
}
