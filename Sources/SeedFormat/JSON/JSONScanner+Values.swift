package enum JSONStep: Sendable {
  case value
  case end
  /// Incomplete: feed the scanner and retry.
  case starved
}

extension JSONScanner {
  /// Reads the next array element, or the value after a name, onto a cleared tape.
  package mutating func nextValue(_ tape: inout JSONTape) throws(JSONError) -> JSONStep {
    guard canAttempt else { return .starved }
    tape.clear()
    skipWhitespace()
    let start = position
    (flaw, isInValue) = (nil, keepsBadTexts)
    defer { isInValue = false }
    let step = try nextElement(&tape)
    if step == .starved { starve(from: start) }
    return step
  }

  private mutating func nextElement(_ tape: inout JSONTape) throws(JSONError) -> JSONStep {
    guard position < window.end else {
      if expectation == .nothing, window.isComplete { return .end }
      return try starvedOrTooEarly() ? .starved : .end
    }
    let isInArray = if case .array? = levels.last { true } else { false }
    if isInArray, expectation != .value {
      let isFirst = expectation == .valueOrArrayEnd
      guard let isEnd = try separator(UInt8(ascii: "]"), isFirst: isFirst) else { return .starved }
      if isEnd {
        _ = leaveLevel(.endArray)
        return .end
      }
    } else if expectation != .value {
      throw error(expectation == .nothing ? "expected the end of the document" : "expected a value")
    }
    tape.shapes.start()
    guard try scanValue(&tape, depth: levels.count, JSONShapes.root) else { return .starved }
    expectation = levels.isEmpty ? .nothing : .commaOrEnd
    return .value
  }

  func starvedOrTooEarly() throws(JSONError) -> Bool {
    guard window.isComplete else { return true }
    throw error("the document ends too early")
  }

  private mutating func scanValue(
    _ tape: inout JSONTape, depth: Int, _ place: Int
  ) throws(JSONError) -> Bool {
    guard position < window.end else { return try !starvedOrTooEarly() }
    switch window[position] {
    case UInt8(ascii: "{"): return try scanObject(&tape, depth: depth + 1, place)
    case UInt8(ascii: "["): return try scanArray(&tape, depth: depth + 1, place)
    case UInt8(ascii: "\""): return try scanString(&tape, as: .string)
    default: return try scanScalar(&tape)
    }
  }

  private mutating func scanArray(
    _ tape: inout JSONTape, depth: Int, _ place: Int
  ) throws(JSONError) -> Bool {
    guard depth <= Limits.jsonDepth else { throw tooDeep() }
    let elements = tape.shapes.elements(of: place)
    let index = tape.count
    tape.append(JSONTape.Entry(kind: .array, offset: position))
    position += 1
    var count = 0
    while true {
      guard let isEnd = try separator(UInt8(ascii: "]"), isFirst: count == 0) else { return false }
      if isEnd { break }
      guard try scanValue(&tape, depth: depth, elements) else { return false }
      count += 1
    }
    tape.close(index, elements: count)
    return true
  }

  private mutating func scanObject(
    _ tape: inout JSONTape, depth: Int, _ place: Int
  ) throws(JSONError) -> Bool {
    guard depth <= Limits.jsonDepth else { throw tooDeep() }
    let index = tape.count
    tape.append(JSONTape.Entry(kind: .object, offset: position))
    position += 1
    var (count, guess) = (0, tape.shapes.guess(place))
    while true {
      guard let isEnd = try separator(UInt8(ascii: "}"), isFirst: count == 0) else { return false }
      if isEnd { break }
      guard let slot = try scanName(&tape, &guess) else { return false }
      skipWhitespace()
      let inner = isAtContainer && slot >= 0 ? tape.shapes.place(of: slot, in: place) : -1
      guard try scanValue(&tape, depth: depth, inner) else { return false }
      count += 1
    }
    tape.close(index, elements: count)
    if guess.isRight {
      tape.confirm(index, place)
    } else {
      try refuseDuplicates(index, tape)
      learn(index, &tape, place)
    }
    return true
  }

  private var isAtContainer: Bool {
    // Braces and brackets differ in one bit.
    position < window.end && window[position] | 0x20 == UInt8(ascii: "{")
  }

  /// Reads a name. Returns its number in the object's shape, -1 if it has none, or nil if the name is incomplete.
  @inline(__always)
  private mutating func scanName(
    _ tape: inout JSONTape, _ guess: inout JSONShapes.Guess
  ) throws(JSONError) -> Int? {
    if let (slot, length) = guess.match(
      window.base + (position - window.start), available: window.end - position)
    {
      tape.append(
        JSONTape.Entry(
          kind: .name, slot: UInt16(truncatingIfNeeded: slot), offset: position,
          payload: UInt64(position + 1), count: length - JSONShapes.frameBytes))
      position += length
      return slot
    }
    guard window[position] == UInt8(ascii: "\"") else { throw error("expected a member name") }
    guard try scanString(&tape, as: .name), try colon() else { return nil }
    return -1
  }

  private func learn(_ object: Int, _ tape: inout JSONTape, _ place: Int) {
    let count = tape.count(object)
    // An invalid name, once remembered, would be accepted the next time.
    guard flaw == nil, count > 0, tape.shapes.isWorthLearning(place, members: count) else { return }
    var names: [UnsafeBufferPointer<UInt8>] = []
    var member = object + 1
    for _ in 0..<count {
      guard !tape.isCopied(member) else { return }
      names.append(text(member, of: tape))
      member = tape.end(of: member + 1)
    }
    tape.shapes.learn(place, names)
  }

  /// Skips the separator before an element; true at the container's end, nil if more bytes are needed.
  mutating func separator(_ close: UInt8, isFirst: Bool) throws(JSONError) -> Bool? {
    skipWhitespace()
    guard position < window.end else { return try starvedOrTooEarly() ? nil : true }
    if window[position] == close {
      position += 1
      return true
    }
    guard !isFirst else { return false }
    guard window[position] == UInt8(ascii: ",") else {
      throw error("expected a comma or the end of the \(close == UInt8(ascii: "]") ? "array" : "object")")
    }
    position += 1
    skipWhitespace()
    guard position < window.end else { return try starvedOrTooEarly() ? nil : true }
    return false
  }

  mutating func scanString(_ tape: inout JSONTape, as kind: JSONTape.Kind) throws(JSONError) -> Bool {
    let (base, start) = (window.base, window.start)
    switch JSONText.scan(base, from: position + 1 - start, to: window.end - start) {
    case .starved: return try !starvedOrTooEarly()
    case .wrong(let index, let reason):
      return try keep(JSONError(at: index + start, reason.description), &tape, as: kind)
    case .ends(let end, let hasEscapes):
      let text = (position + 1 - start)..<end
      if hasEscapes {
        if let wrong = tape.append(unescaping: text, of: base, as: kind, at: position) {
          return try keep(JSONError(at: wrong.offset + start, wrong.reason.description), &tape, as: kind)
        }
      } else {
        tape.append(
          JSONTape.Entry(kind: kind, offset: position, payload: UInt64(position + 1), count: text.count))
      }
      position = end + 1 + start
      return true
    }
  }

  /// Skips an invalid string in a value that may contain one. Returns false if the string's end has not arrived.
  private mutating func keep(
    _ error: JSONError, _ tape: inout JSONTape, as kind: JSONTape.Kind
  ) throws(JSONError) -> Bool {
    guard isInValue else { throw error }
    var index = position + 1
    while index < window.end, window[index] != UInt8(ascii: "\"") {
      guard window[index] >= 0x20 else { throw error }
      index += window[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < window.end else { return try !starvedOrTooEarly() }
    flaw = flaw ?? error
    tape.append(
      JSONTape.Entry(
        kind: kind, offset: position, payload: UInt64(position + 1), count: index - position - 1))
    position = index + 1
    return true
  }

  mutating func scanScalar(_ tape: inout JSONTape) throws(JSONError) -> Bool {
    switch window[position] {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try scanNumber(&tape)
    case UInt8(ascii: "t"): return try scanWord("true", .yes, &tape)
    case UInt8(ascii: "f"): return try scanWord("false", .no, &tape)
    case UInt8(ascii: "n"): return try scanWord("null", .null, &tape)
    default: throw error("expected a value")
    }
  }

  private mutating func scanWord(
    _ word: StaticString, _ kind: JSONTape.Kind, _ tape: inout JSONTape
  ) throws(JSONError) -> Bool {
    let length = word.utf8CodeUnitCount
    let available = min(length, window.end - position)
    for index in 0..<available where window[position + index] != word.utf8Start[index] {
      throw error("expected a value")
    }
    guard available == length else { return try !starvedOrTooEarly() }
    tape.append(JSONTape.Entry(kind: kind, offset: position))
    position += length
    return true
  }

  private mutating func scanNumber(_ tape: inout JSONTape) throws(JSONError) -> Bool {
    let (start, begin) = (window.start, position)
    func advance(_ end: Int, _ kind: JSONTape.Kind, _ bits: UInt64) -> Bool {
      tape.append(JSONTape.Entry(kind: kind, offset: begin, payload: bits, count: end &+ start &- begin))
      position = end + start
      return true
    }
    switch JSONNumber.scan(
      window.base, from: position - start, to: window.end - start, isComplete: window.isComplete)
    {
    case .integer(let value, let end): return advance(end, .integer, UInt64(bitPattern: value))
    case .real(let value, let end): return advance(end, .real, value.bitPattern)
    case .beyond(let end): return advance(end, .beyond, UInt64(begin))
    case .starved: return false
    case .wrong(let index, let reason): throw JSONError(at: index + start, reason.description)
    }
  }
}

// Reads consecutive documents separated by white space, such as NDJSON.
extension JSONScanner {
  package mutating func awaitDocument() -> JSONStep {
    skipWhitespace()
    guard position < window.end else { return window.isComplete ? .end : .starved }
    return .value
  }

  /// Starts the next document; false if none of it has arrived.
  package mutating func beginDocument() throws(JSONError) -> Bool {
    guard awaitDocument() == .value else { return false }
    levels.removeAll()
    expectation = .value
    return true
  }

  /// Reads the next of several top-level values onto an emptied tape.
  package mutating func nextLine(_ tape: inout JSONTape) throws(JSONError) -> JSONStep {
    guard try beginDocument() else { return awaitDocument() }
    let start = position
    do throws(JSONError) {
      return try nextValue(&tape)
    } catch {
      // The caller can then skip from the value's start to the end of its line.
      position = start
      throw error
    }
  }

  /// Skips past the next line feed; false if it has not arrived.
  package mutating func skipLine() -> Bool {
    while position < window.end {
      position += 1
      if window[position - 1] == 0x0A { return true }
    }
    return window.isComplete
  }
}
