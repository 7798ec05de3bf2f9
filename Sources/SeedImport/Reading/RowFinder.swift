import SeedDatabase
import SeedFormat

/// Finds the rows of a document that arrives in pieces. Reads the objects around the lists token by token, and each row
/// onto the tape.
struct RowFinder {
  private enum Stage {
    case seeking(Int)
    case finding
    case skipping(nesting: Int)
    /// In an array that has no list: skips whole elements, which is faster than single tokens.
    case passing(nesting: Int)
    case rows, names, member, single, lines, records, trailing, done
  }

  /// Maximum size in bytes of a row or line, which is read into memory as a whole.
  static let longestRow = 16 * 1024 * 1024

  private struct LongRow: Error { let offset: Int }

  enum Step {
    /// A row of the current list is on the tape, with its name if the list is a dictionary.
    case row(name: String?)
    case moved, starved, done
  }

  private var node = DocumentFrame.root
  /// The indexes of the lists that may take the current rows.
  var lists: [Int] { frame.nodes[node].lists }
  private let frame: DocumentFrame
  private var stage: Stage
  private var open: [Int] = []
  private var found: Set<Int> = []
  /// The indexes of lists whose path exists in the document.
  private(set) var listsFound: Set<Int> = []
  /// The names of some members that were skipped, for error messages.
  private var passed: [String] = []

  private static let mostPassed = 32
  private static let shownPassed = 8
  private var name = ""
  private var flawOfName: JSONError?

  init(_ frame: DocumentFrame) {
    self.frame = frame
    stage = frame.csv != nil ? .records : frame.isLines ? .lines : .seeking(DocumentFrame.root)
    if frame.isLines { listsFound = Set(lists) }
  }

  /// Reads the next row or token. The errors name the document, except a `JSONError`.
  mutating func step(
    _ source: inout DocumentSource, in document: @autoclosure () -> String, row: Int
  ) throws -> Step {
    do {
      return try step(&source)
    } catch let error as LongRow {
      throw ImportFailure(
        .document,
        "\(document()), row \(row), byte \(error.offset): the row is longer than \(Self.longestRow) bytes: divide it, or "
          + "map a list within it by a separate path")
    } catch let error as ImportFailure { throw ImportFailure(error.code, "\(document()): \(error.message)") }
  }

  private mutating func step(_ source: inout DocumentSource) throws -> Step {
    switch stage {
    case .seeking(let node): try seek(node, &source)
    case .finding: try find(&source)
    case .skipping(let nesting): try skip(nesting, &source)
    case .passing(let nesting): try pass(nesting, &source)
    case .rows: try row(source.scanner.nextValue(&source.tape), then: .rows, source)
    case .names: try nextName(&source)
    case .member: try member(&source)
    case .single: try row(source.scanner.nextValue(&source.tape), then: behindList, source)
    case .lines: try row(source.scanner.nextLine(&source.tape), then: .lines, source)
    case .records: try value(source.nextRecord(), then: .records)
    case .trailing: try trail(&source)
    case .done: .done
    }
  }

  // MARK: Rows

  private mutating func value(_ step: JSONStep, then next: Stage) -> Step {
    switch step {
    case .starved: return .starved
    case .end: return moved(to: frame.isLines ? .done : behindList)
    case .value:
      stage = next
      return .row(name: rowName)
    }
  }

  private var rowName: String? { if case .names = stage { name } else { nil } }

  private mutating func row(
    _ step: JSONStep, then next: Stage, _ source: borrowing DocumentSource
  ) throws -> Step {
    try Self.checkLength(step, source)
    return value(step, then: next)
  }

  private static func checkLength(_ step: JSONStep, _ source: borrowing DocumentSource) throws(LongRow) {
    let offset = source.scanner.offset
    switch step {
    case .end: return
    case .value:
      guard offset - source.tape.offset(0) > longestRow else { return }
      throw LongRow(offset: source.tape.offset(0))
    case .starved:
      // The scanner retries only after a quarter more bytes have arrived. These may belong to rows after a valid row.
      guard source.scanner.bytesAhead > longestRow + longestRow / 4 else { return }
      throw LongRow(offset: offset)
    }
  }

  private mutating func nextName(_ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.nextName() {
    case .starved: return .starved
    case .name(let name):
      flawOfName = source.scanner.flaw.map { JSONError(at: $0.offset, "the row's name is not valid text") }
      self.name = name
      return moved(to: .member)
    default: return moved(to: behindList)
    }
  }

  /// Rejects only this row if its name is invalid.
  private mutating func member(_ source: inout DocumentSource) throws -> Step {
    let step = try source.scanner.nextValue(&source.tape)
    source.scanner.flaw = flawOfName ?? source.scanner.flaw
    return try row(step, then: .names, source)
  }

  // MARK: Frame

  private var behindList: Stage { open.isEmpty ? .trailing : .finding }

  private mutating func moved(to stage: Stage) -> Step {
    self.stage = stage
    return .moved
  }

  private mutating func seek(_ node: Int, _ source: inout DocumentSource) throws -> Step {
    let layout = frame.nodes[node].layout
    if case .single? = layout { return begin(node, .single) }
    switch (try source.scanner.next(), layout) {
    case (.starved, _): return .starved
    case (.beginArray, .array?): return begin(node, .rows)
    case (.beginObject, .dictionary?): return begin(node, .names)
    case (.beginObject, nil):
      open.append(node)
      return moved(to: .finding)
    case (let token, _): throw unexpected(token, node)
    }
  }

  private mutating func begin(_ node: Int, _ stage: Stage) -> Step {
    self.node = node
    found.insert(node)
    listsFound.formUnion(lists)
    return moved(to: stage)
  }

  private func unexpected(_ token: JSONToken, _ node: Int) -> ImportFailure {
    let wanted = frame.nodes[node].layout == .array ? "an array of rows" : "an object"
    let isOtherLayout = node == DocumentFrame.root && token == .beginObject
    let hint =
      isOtherLayout
      ? ": give the path of the rows, or the layout lines (--format ndjson) if each line is an object" : ""
    return ImportFailure(
      .document, "expected \(wanted) at \(frame.nodes[node].path), found \(token.kind)\(hint)")
  }

  private mutating func find(_ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.next() {
    case .starved: return .starved
    case .name(let name):
      guard let child = open.last.flatMap({ frame.child(name, of: $0) }) else {
        if passed.count < Self.mostPassed { passed.append(name) }
        return moved(to: .skipping(nesting: 0))
      }
      return moved(to: .seeking(child))
    default:
      open.removeLast()
      return moved(to: behindList)
    }
  }

  private mutating func skip(_ nesting: Int, _ source: inout DocumentSource) throws -> Step {
    switch try source.scanner.next() {
    case .starved: .starved
    case .beginArray: moved(to: .passing(nesting: nesting))
    case .beginObject: moved(to: .skipping(nesting: nesting + 1))
    case .name: moved(to: .skipping(nesting: nesting))
    case .endObject, .endArray: moved(to: skipping(nesting - 1))
    default: moved(to: skipping(nesting))
    }
  }

  private func skipping(_ nesting: Int) -> Stage { nesting == 0 ? .finding : .skipping(nesting: nesting) }

  private mutating func pass(_ nesting: Int, _ source: inout DocumentSource) throws -> Step {
    while true {
      switch try source.scanner.nextValue(&source.tape) {
      case .starved: return .starved
      case .end: return moved(to: skipping(nesting))
      case .value: if let flaw = source.scanner.flaw { throw flaw }
      }
    }
  }

  private func nothing(at path: MemberPath) -> ImportFailure {
    let names = passed.prefix(Self.shownPassed).map { "\"\($0.clipped)\"" }.joined(separator: ", ")
    let others = names.isEmpty ? "" : " (it has \(names)\(passed.count > Self.shownPassed ? ", …" : ""))"
    let nearest = path.names?.last.flatMap { nearestName(to: $0, in: passed) }
    let found = nearest.map { " (did you mean \"\($0)\"?)" } ?? others
    return ImportFailure(
      .document,
      "the document has nothing at \(path)\(found): correct the path of the list, or make the list optional")
  }

  /// Checks that the document contained its lists. Another document may follow, and is read like the first.
  private mutating func trail(_ source: inout DocumentSource) throws -> Step {
    if let missing = frame.needed.first(where: { !found.contains($0) }) {
      throw nothing(at: frame.nodes[missing].path)
    }
    switch source.scanner.awaitDocument() {
    case .starved: return .starved
    case .end: return moved(to: .done)
    case .value:
      (found, passed) = ([], [])
      _ = try source.scanner.beginDocument()
      return moved(to: .seeking(DocumentFrame.root))
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
    case .bool: "true or false"
    case .null: "null"
    case .endObject, .endArray, .name, .end, .starved: "nothing"
    }
  }
}
