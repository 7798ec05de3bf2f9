/// Skips a value of any length that arrives in pieces. Short parts are read whole, which is faster than tokens.
package struct JSONPassage: Sendable {
  private enum Level { case array, object }

  private var levels: [Level] = []
  private var isBehindName = true
  /// The first string that is invalid text.
  package private(set) var flaw: JSONError?

  /// A value of more bytes is read part by part.
  private let mostBytes: Int

  package init(mostBytes: Int = 64 * 1024) { self.mostBytes = mostBytes }

  /// Skips as far as the value has arrived; true at its end. A value must follow: an array's end is an error.
  package mutating func goOn(
    _ scanner: inout JSONScanner, _ tape: inout JSONTape
  ) throws(JSONError) -> Bool {
    repeat {
      let isMoved = try isBehindName || levels.last == .array ? value(&scanner, &tape) : name(&scanner)
      guard isMoved else { return false }
    } while !levels.isEmpty
    return true
  }

  private mutating func name(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
    switch try scanner.nextWithinValue() {
    case .starved: return false
    case .name: isBehindName = true
    default: levels.removeLast()
    }
    flaw = flaw ?? scanner.flaw
    return true
  }

  private mutating func value(
    _ scanner: inout JSONScanner, _ tape: inout JSONTape
  ) throws(JSONError) -> Bool {
    guard scanner.isWorthALook else { return false }
    switch try scanner.nextValue(&tape) {
    case .value: flaw = flaw ?? scanner.flaw
    case .end: levels.removeLast()
    case .starved:
      guard scanner.bytesAhead > mostBytes else { return false }
      return try enter(&scanner)
    }
    isBehindName = false
    return true
  }

  /// Enters an incomplete array or object; false if not even its start has arrived.
  package mutating func enter(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
    switch try scanner.nextWithinValue() {
    case .beginArray: levels.append(.array)
    case .beginObject: levels.append(.object)
    default: return false
    }
    isBehindName = false
    return true
  }
}
