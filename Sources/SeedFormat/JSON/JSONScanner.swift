/// A strict RFC 8259 reader for a document that arrives whole or in pieces.
///
/// Yields single tokens (``next()``) for the structure, and whole values onto a tape (``nextValue(_:)``) for
/// its rows. Keeps only the bytes of the current token or row. If these exceed 64 KiB and are incomplete,
/// returns ``JSONToken/starved`` until a quarter more has arrived or the document ends. ``JSONToken/end``
/// means that the whole document is valid. Also rejects duplicate member names, a byte order mark (unless
/// ``passMark()`` is called), invalid UTF-8, lone surrogates, and nesting deeper than ``Limits/jsonDepth``.
package struct JSONScanner: ~Copyable {
  enum Expectation { case value, valueOrArrayEnd, nameOrObjectEnd, commaOrEnd, nothing }

  enum Level {
    case array
    case object(names: JSONNames)
  }

  var window = JSONWindow()
  /// Whether to keep strings that are invalid text and record a ``flaw``, instead of throwing.
  package var keepsBadTexts = false
  /// The error of the latest value's first invalid string.
  package var flaw: JSONError?
  var isInValue = false
  var position = 0
  var levels: [Level] = []
  var expectation = Expectation.value
  /// The number of bytes that must have arrived before the next attempt.
  var attemptEnd = 0
  /// Reused for single tokens, which saves two allocations per token.
  private var spare: JSONTape?

  private static let longTokenBytes = 64 * 1024

  package init() {}

  package init(at offset: Int) {
    window = JSONWindow(at: offset)
    position = offset
  }

  package init(_ document: [UInt8]) {
    document.withUnsafeBytes { window.append($0, keepingFrom: 0) }
    window.complete()
  }

  /// The offset of the next token, in bytes from the document's start.
  package var offset: Int { position }

  package var bytesFed: Int { window.end }

  package var bytesAhead: Int { window.end - position }

  /// Adds a piece of the document. Invalidates earlier strings and tapes.
  package mutating func feed(_ bytes: UnsafeRawBufferPointer) { window.append(bytes, keepingFrom: position) }

  package mutating func restart() {
    window.restart()
    (position, attemptEnd, expectation) = (0, 0, .value)
    levels.removeAll()
  }

  package mutating func complete() { window.complete() }

  package var isComplete: Bool { window.isComplete }

  /// Skips bytes that a reader of another format has read.
  package mutating func advance(to offset: Int) { position = offset }

  /// Skips a byte order mark at the start (RFC 8259, section 8.1); false if too few bytes have arrived to decide.
  package mutating func passMark() -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard position == 0 else { return true }
    for offset in 0..<min(window.end, mark.count) where window[offset] != mark[offset] { return true }
    guard window.end >= mark.count else { return window.isComplete }
    position = mark.count
    return true
  }

  // MARK: Tokens

  /// Returns the next token; ``JSONToken/end`` at the document's end. After ``JSONToken/starved``, feed more and repeat.
  package mutating func next() throws(JSONError) -> JSONToken {
    guard canAttempt else { return .starved }
    skipWhitespace()
    let start = position
    let token = try nextToken()
    if token == .starved { starve(from: start) }
    return token
  }

  /// Returns the next token in an object. If ``keepsBadTexts`` is set, an invalid name is recorded as the ``flaw``.
  package mutating func nextName() throws(JSONError) -> JSONToken {
    (flaw, isInValue) = (nil, keepsBadTexts)
    defer { isInValue = false }
    return try next()
  }

  package var canAttempt: Bool { window.end >= attemptEnd || window.isComplete }

  /// Returns to the start of an incomplete token or value. A long one is retried only after it has grown by a quarter,
  /// because rescanning it for each piece would take quadratic time.
  package mutating func starve(from start: Int) {
    position = start
    let held = window.end - start
    if held > Self.longTokenBytes { attemptEnd = window.end + held / 4 }
  }

  private mutating func nextToken() throws(JSONError) -> JSONToken {
    guard position < window.end else {
      if expectation == .nothing, window.isComplete { return .end }
      return try starvedOrTooEarly() ? .starved : .end
    }
    let byte = window[position]
    switch expectation {
    case .nothing: throw error("expected the end of the document")
    case .commaOrEnd: return try afterValue()
    case .nameOrObjectEnd: return byte == UInt8(ascii: "}") ? close(.endObject) : try name()
    case .valueOrArrayEnd: return byte == UInt8(ascii: "]") ? close(.endArray) : try value()
    case .value: return try value()
    }
  }

  private mutating func afterValue() throws(JSONError) -> JSONToken {
    let isInObject = if case .object? = levels.last { true } else { false }
    // If the next token is incomplete, the caller goes back to the position before the comma.
    let isEnd = try separator(isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), isFirst: false)
    guard let isEnd else { return .starved }
    if isEnd { return leaveLevel(isInObject ? .endObject : .endArray) }
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
    // Invalid names are not compared, because different ones may decode to the same string.
    if !isInValue || flaw == nil { try remember(name, at: start) }
    expectation = .value
    return .name(name)
  }

  /// Skips the colon after a name; false if it has not arrived.
  mutating func colon() throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < window.end else { return try !starvedOrTooEarly() }
    guard window[position] == UInt8(ascii: ":") else { throw error("expected a colon") }
    position += 1
    return true
  }

  private mutating func remember(_ name: String, at start: Int) throws(JSONError) {
    guard case .object(var names) = levels.removeLast() else { return }
    var text = name
    guard text.withUTF8({ names.insert($0) }) else { throw .duplicate(name, at: start) }
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
    // A one-byte check, because compact documents have no white space.
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

package enum JSONToken: Hashable, Sendable {
  case beginObject, endObject, beginArray, endArray
  case name(String)
  case string(String)
  case integer(Int64)
  case real(Double)
  case bool(Bool)
  case null
  case end
  case starved
}
