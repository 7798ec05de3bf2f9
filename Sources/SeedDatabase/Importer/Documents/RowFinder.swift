import SeedFormat

/// Finds the rows of a document that comes in pieces: through its frame token by token, its rows by the tape.
struct RowFinder {
  private enum Stage {
    /// The value behind that many names of the path is next.
    case seeking(Int)
    /// Within the object whose member of that place in the path is looked for.
    case finding(Int)
    /// Within a member that nobody looks for.
    case skipping(Int, nesting: Int)
    /// Within an array there, or behind the rows: elements are passed whole, which costs less than tokens.
    case passing(Int, nesting: Int), trailingElements
    case rows, names, member, single, lines, badLine, trailing, done
  }

  /// What a step led to.
  enum Step {
    /// A row is on the tape, with its name in a dictionary of rows.
    case row(name: String?)
    case moved, starved, done
  }

  private let mapping: ImportMapping
  private var stage: Stage
  private var name = ""

  init(_ mapping: ImportMapping) {
    self.mapping = mapping
    stage = mapping.layout == .lines ? .lines : .seeking(0)
  }

  mutating func step(_ source: inout DocumentSource) throws -> Step {
    switch stage {
    case .seeking(let depth): try seek(depth, &source)
    case .finding(let depth): try find(depth, &source)
    case .skipping(let depth, let nesting): try skip(depth, nesting, &source)
    case .passing(let depth, let nesting):
      try pass(&source, then: nesting == 0 ? .finding(depth) : .skipping(depth, nesting: nesting))
    case .trailingElements: try pass(&source, then: .trailing)
    case .rows: try value(source.scanner.nextValue(&source.tape), then: .rows)
    case .names: try nextName(&source)
    case .member: try value(source.scanner.nextValue(&source.tape), then: .names)
    case .single: try value(source.scanner.nextValue(&source.tape), then: .trailing)
    case .lines: try value(source.scanner.nextLine(&source.tape), then: .lines)
    case .badLine: skipLine(&source)
    case .trailing: try trail(&source)
    case .done: .done
    }
  }

  /// Goes on behind the line that could not be read.
  mutating func passBadLine() { stage = .badLine }

  private mutating func skipLine(_ source: inout DocumentSource) -> Step {
    guard source.scanner.skipLine() else { return .starved }
    stage = .lines
    return .moved
  }

  private mutating func value(_ step: JSONStep, then next: Stage) -> Step {
    switch step {
    case .starved: return .starved
    case .end:
      stage = if case .lines = next { .done } else { .trailing }
      return .moved
    case .value:
      var name: String?
      if case .names = next { name = self.name }
      stage = next
      return .row(name: name)
    }
  }

  private mutating func seek(_ depth: Int, _ source: inout DocumentSource) throws -> Step {
    if depth == mapping.rows.names.count, mapping.layout == .single {
      stage = .single
      return .moved
    }
    switch (try source.scanner.next(), mapping.layout, depth == mapping.rows.names.count) {
    case (.starved, _, _): return .starved
    case (.beginObject, _, false): stage = .finding(depth)
    case (.beginArray, .array, true): stage = .rows
    case (.beginObject, .dictionary, true): stage = .names
    case (let token, _, _): throw unexpected(token, depth)
    }
    return .moved
  }

  private func unexpected(_ token: JSONToken, _ depth: Int) -> ImportFailure {
    let place = MemberPath(names: Array(mapping.rows.names.prefix(depth)))
    let isLast = depth == mapping.rows.names.count
    let wanted = isLast && mapping.layout == .array ? "an array of rows" : "an object"
    return ImportFailure(.document, "expected \(wanted) at \(place), found \(token.kind)")
  }

  private mutating func find(_ depth: Int, _ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.next() {
    case .starved: return .starved
    case .name(let name):
      stage = name == mapping.rows.names[depth] ? .seeking(depth + 1) : .skipping(depth, nesting: 0)
    default: throw ImportFailure(.document, "the document has nothing at \(mapping.rows)")
    }
    return .moved
  }

  private mutating func skip(
    _ depth: Int, _ nesting: Int, _ source: inout DocumentSource
  ) throws -> Step {
    var nesting = nesting
    switch try source.scanner.next() {
    case .starved: return .starved
    case .beginArray: return moved(to: .passing(depth, nesting: nesting))
    case .beginObject: nesting += 1
    case .endObject, .endArray: nesting -= 1
    case .name: return moved(to: .skipping(depth, nesting: nesting))
    default: break
    }
    return moved(to: nesting == 0 ? .finding(depth) : .skipping(depth, nesting: nesting))
  }

  private mutating func pass(_ source: inout DocumentSource, then next: Stage) throws -> Step {
    while true {
      switch try source.scanner.nextValue(&source.tape) {
      case .starved: return .starved
      case .end: return moved(to: next)
      case .value: continue
      }
    }
  }

  private mutating func moved(to stage: Stage) -> Step {
    self.stage = stage
    return .moved
  }

  private mutating func nextName(_ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.next() {
    case .starved: return .starved
    case .name(let name):
      self.name = name
      return moved(to: .member)
    default: return moved(to: .trailing)
    }
  }

  private mutating func trail(_ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.next() {
    case .starved: .starved
    case .end: moved(to: .done)
    case .beginArray: moved(to: .trailingElements)
    default: .moved
    }
  }
}

extension JSONToken {
  fileprivate var kind: String {
    switch self {
    case .beginObject: "an object"
    case .beginArray: "an array"
    case .string: "a string"
    case .integer, .real: "a number"
    case .bool: "a truth value"
    case .null: "null"
    case .endObject, .endArray, .name, .end, .starved: "nothing"
    }
  }
}
