import SeedFormat

/// Finds the nested values in a part of a long row.
struct PartElements {
  enum Step {
    /// One is on the tape, with its name in a dictionary.
    case element(name: String?)
    /// One that is long itself, and where it is.
    case long(name: String?, Range<Int>)
    case starved, end
  }

  private enum Stage {
    case beginning, values, names, member, done
    case long(start: Int, JSONPassage)
  }

  private let layout: RowRelation.Layout
  /// Bytes of a value beyond which it is a long one.
  private let longBytes: Int
  private var stage: Stage
  private var name: String?

  init(_ layout: RowRelation.Layout, longBytes: Int) {
    (self.layout, self.longBytes) = (layout, longBytes)
    stage = layout == .single ? .member : .beginning
  }

  mutating func next(_ source: inout DocumentSource) throws -> Step {
    switch stage {
    case .beginning: try begin(&source)
    case .values: try value(.values, &source)
    case .names: try nextName(&source)
    case .member: try value(behindMember, &source)
    case .long(let start, let passage): try goOn(start, passage, &source)
    case .done: .end
    }
  }

  private mutating func begin(_ source: inout DocumentSource) throws -> Step {
    guard try source.scanner.next() != .starved else { return .starved }
    stage = layout == .array ? .values : .names
    return try next(&source)
  }

  private mutating func nextName(_ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.nextWithinValue() {
    case .starved: return .starved
    case .name(let name): (self.name, stage) = (name, .member)
    default: stage = .done
    }
    return try next(&source)
  }

  private var behindMember: Stage { layout == .single ? .done : .names }

  private mutating func value(_ behind: Stage, _ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.nextValue(&source.tape) {
    case .value:
      stage = behind
      return .element(name: name)
    case .end:
      stage = .done
      return .end
    case .starved:
      guard source.scanner.bytesAhead >= longBytes else { return .starved }
      return try beginLong(&source)
    }
  }

  private mutating func beginLong(_ source: inout DocumentSource) throws -> Step {
    var passage = JSONPassage()
    guard try passage.enter(&source.scanner) else { return .starved }
    stage = .long(start: source.scanner.offset - 1, passage)
    // What is collected lies in memory that the next piece may take.
    return .starved
  }

  private mutating func goOn(
    _ start: Int, _ passage: JSONPassage, _ source: inout DocumentSource
  ) throws -> Step {
    var passage = passage
    let isOver = try passage.goOn(&source.scanner, &source.tape)
    stage = isOver ? (layout == .array ? .values : behindMember) : .long(start: start, passage)
    return isOver ? .long(name: name, start..<source.scanner.offset) : .starved
  }
}
