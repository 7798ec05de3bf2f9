/// Goes through a value of any length that comes in pieces, of which nothing has to be kept. What is short is read as a
/// whole, which costs less than tokens.
package struct JSONPassage: Sendable {
  private enum Level { case array, object }

  /// The arrays and objects that are open, from the outside in.
  private var levels: [Level] = []
  private var isBehindName = true
  /// The first string that is no text.
  package private(set) var flaw: JSONError?

  /// Bytes of a value beyond which its parts are looked at one by one.
  private let mostBytes: Int

  /// Goes through the value that is next.
  package init(mostBytes: Int = 64 * 1024) { self.mostBytes = mostBytes }

  /// Goes on as far as the value has come; true once it is over. An array's end in place of a value is an error of the
  /// caller's: it knows that there is a value.
  package mutating func goOn(
    _ scanner: inout JSONScanner, _ tape: inout JSONTape
  ) throws(JSONError) -> Bool {
    repeat {
      let isMoved = try isBehindName || levels.last == .array ? value(&scanner, &tape) : name(&scanner)
      guard isMoved else { return false }
    } while !levels.isEmpty
    return true
  }

  /// False where what is next has not come.
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

  /// Enters an array or an object that has not come whole; false where nothing of it has come.
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
