/// A strict RFC 8259 reader over a document that comes whole or in pieces.
///
/// It yields tokens one at a time (``next()``) for the frame of a document, and whole values onto a tape
/// (``nextValue(_:)``) for its rows. Nothing is kept of a document but the window that a token or a row needs.
/// One that is longer than 64 KiB may stay ``JSONToken/starved`` although it has come, until a quarter more has
/// come behind it or the document is complete. The grammar is enforced on the way: ``JSONToken/end`` means that the whole
/// document is valid. Beyond the grammar it refuses duplicate member names, a byte order mark (unless ``passMark()`` is
/// called), invalid UTF-8, lone surrogates, and nesting deeper than ``Limits/jsonDepth``.
package struct JSONScanner: ~Copyable {
  enum Expectation { case value, valueOrArrayEnd, nameOrObjectEnd, commaOrEnd, nothing }

  enum Level {
    case array
    case object(names: JSONNames)
  }

  var window = JSONWindow()
  /// Whether a string that is no text leaves the value around it readable: it is kept as it came, and noted.
  package var keepsBadTexts = false
  /// The first such string of the latest value.
  package var flaw: JSONError?
  var isInValue = false
  var position = 0
  var levels: [Level] = []
  var expectation = Expectation.value
  /// Bytes of the document that must have come before another look is worth its time.
  var patience = 0
  /// A tape for single tokens; each token of its own would cost two allocations.
  private var spare: JSONTape?

  private static let impatientBytes = 64 * 1024

  /// A scanner that waits for ``feed(_:)``.
  package init() {}

  /// A scanner of a part of a document, which begins there.
  package init(at offset: Int) {
    window = JSONWindow(at: offset)
    position = offset
  }

  /// A scanner of a whole document.
  package init(_ document: [UInt8]) {
    document.withUnsafeBytes { window.append($0, keepingFrom: 0) }
    window.complete()
  }

  /// Where the next token is looked for, in bytes from the document's start.
  package var offset: Int { position }

  /// Bytes of the document that have come so far.
  package var bytesFed: Int { window.end }

  /// Bytes in memory that were not taken yet.
  package var bytesAhead: Int { window.end - position }

  /// Adds a piece of the document. Texts and tapes that were handed out before are no longer good.
  package mutating func feed(_ bytes: UnsafeRawBufferPointer) { window.append(bytes, keepingFrom: position) }

  /// Forgets the document and waits for the next one, in the memory that it has.
  package mutating func restart() {
    window.restart()
    (position, patience, expectation) = (0, 0, .value)
    levels.removeAll()
  }

  /// Says that the document ends with what was fed.
  package mutating func complete() { window.complete() }

  /// Whether nothing more will be fed.
  package var isComplete: Bool { window.isComplete }

  /// Passes what a reader of another format has read.
  package mutating func advance(to offset: Int) { position = offset }

  /// Passes a byte order mark at the document's start, which RFC 8259, section 8.1, lets a reader ignore; false
  /// where too little has come to tell whether there is one.
  package mutating func passMark() -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard position == 0 else { return true }
    for offset in 0..<min(window.end, mark.count) where window[offset] != mark[offset] { return true }
    guard window.end >= mark.count else { return window.isComplete }
    position = mark.count
    return true
  }

  // MARK: Tokens

  /// The next token; ``JSONToken/end`` once the document is complete, and from then on. ``JSONToken/starved`` asks for
  /// more of the document; nothing was taken, so the call is simply repeated.
  package mutating func next() throws(JSONError) -> JSONToken {
    guard isWorthALook else { return .starved }
    skipWhitespace()
    let start = position
    let token = try nextToken()
    if token == .starved { starve(from: start) }
    return token
  }

  /// Whether enough has come, behind a token or row that had not come whole, for another look at it.
  package var isWorthALook: Bool { window.end >= patience || window.isComplete }

  /// Takes back what was read of a token or value that has not come whole. A long one is looked at again when a quarter
  /// more of it has come: to read it from its start with each piece would cost the square of its length.
  package mutating func starve(from start: Int) {
    position = start
    let held = window.end - start
    if held > Self.impatientBytes { patience = window.end + held / 4 }
  }

  private mutating func nextToken() throws(JSONError) -> JSONToken {
    guard position < window.end else {
      if expectation == .nothing, window.isComplete { return .end }
      return try starvedOrTooEarly() ? .starved : .end
    }
    let byte = window[position]
    switch expectation {
    case .nothing: throw error("expected the end of the document")
    case .commaOrEnd: return try afterValue(byte)
    case .nameOrObjectEnd: return byte == UInt8(ascii: "}") ? close(.endObject) : try name()
    case .valueOrArrayEnd: return byte == UInt8(ascii: "]") ? close(.endArray) : try value()
    case .value: return try value()
    }
  }

  private mutating func afterValue(_ byte: UInt8) throws(JSONError) -> JSONToken {
    let isInObject: Bool
    switch levels.last {
    case nil: throw error("expected the end of the document")
    case .object: isInObject = true
    case .array: isInObject = false
    }
    if byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      return close(isInObject ? .endObject : .endArray)
    }
    guard byte == UInt8(ascii: ",") else {
      throw error("expected a comma or the end of the \(isInObject ? "object" : "array")")
    }
    // The caller takes the comma back where what follows it has not come yet.
    position += 1
    skipWhitespace()
    guard position < window.end else { return try starvedOrTooEarly() ? .starved : .end }
    return try isInObject ? name() : value()
  }

  private mutating func name() throws(JSONError) -> JSONToken {
    let start = position
    guard window[position] == UInt8(ascii: "\"") else { throw error("expected a member name") }
    var tape = emptyTape()
    guard try scanString(&tape, as: .name) else { return .starved }
    let name = string(0, of: tape)
    spare = consume tape
    guard try colon() else { return .starved }
    try remember(name, at: start)
    expectation = .value
    return .name(name)
  }

  /// Passes the colon behind a name; false where it has not come yet.
  mutating func colon() throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < window.end else { return try !starvedOrTooEarly() }
    guard window[position] == UInt8(ascii: ":") else { throw error("expected a colon") }
    position += 1
    return true
  }

  private mutating func remember(_ name: String, at start: Int) throws(JSONError) {
    guard case .object(var names) = levels.removeLast() else { return }
    guard names.insert(name) else {
      throw JSONError(at: start, "duplicate member name \"\(name)\"")
    }
    levels.append(.object(names: names))
  }

  private mutating func value() throws(JSONError) -> JSONToken {
    switch window[position] {
    case UInt8(ascii: "{"): return try open(.object(names: JSONNames()), .beginObject, .nameOrObjectEnd)
    case UInt8(ascii: "["): return try open(.array, .beginArray, .valueOrArrayEnd)
    default: return try scalar()
    }
  }

  private mutating func scalar() throws(JSONError) -> JSONToken {
    let start = position
    var tape = emptyTape()
    let isString = window[position] == UInt8(ascii: "\"")
    guard try isString ? scanString(&tape, as: .string) : scanScalar(&tape) else { return .starved }
    let token = token(of: tape)
    spare = consume tape
    guard let token else {
      throw JSONError(at: start, "a number beyond 64 bits or beyond the range of a double")
    }
    return behindValue(token)
  }

  private func token(of tape: borrowing JSONTape) -> JSONToken? {
    switch tape.kind(0) {
    case .null: .null
    case .yes: .bool(true)
    case .no: .bool(false)
    case .integer: .integer(tape.integer(0))
    case .real: .real(tape.real(0))
    case .string: .string(string(0, of: tape))
    default: nil
    }
  }

  private mutating func emptyTape() -> JSONTape {
    guard var tape = spare.take() else { return JSONTape() }
    tape.clear()
    return tape
  }

  private mutating func open(
    _ level: Level, _ token: JSONToken, _ next: Expectation
  ) throws(JSONError) -> JSONToken {
    guard levels.count < Limits.jsonDepth else { throw tooDeep() }
    position += 1
    levels.append(level)
    expectation = next
    return token
  }

  private mutating func close(_ token: JSONToken) -> JSONToken {
    position += 1
    return leaveLevel(token)
  }

  mutating func leaveLevel(_ token: JSONToken) -> JSONToken {
    levels.removeLast()
    return behindValue(token)
  }

  private mutating func behindValue(_ token: JSONToken) -> JSONToken {
    expectation = levels.isEmpty ? .nothing : .commaOrEnd
    return token
  }

  // MARK: Parts

  @inline(__always)
  mutating func skipWhitespace() {
    // Compact documents have none, and that is seen at one byte.
    if position < window.end, window[position] <= 0x20 { skipSpaces() }
  }

  private mutating func skipSpaces() {
    while position < window.end {
      switch window[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  func error(_ reason: String) -> JSONError { JSONError(at: position, reason) }

  func tooDeep() -> JSONError { error("nesting deeper than \(Limits.jsonDepth)") }
}

/// One token of a JSON document.
package enum JSONToken: Hashable, Sendable {
  case beginObject, endObject, beginArray, endArray
  case name(String)
  case string(String)
  case integer(Int64)
  case real(Double)
  case bool(Bool)
  case null
  /// The document is complete.
  case end
  /// The next token has not come yet.
  case starved
}
