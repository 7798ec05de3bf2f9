// NDJSON: values one after another, white space between them.
extension JSONScanner {
  /// Reads the next of several top-level values onto an emptied tape.
  package mutating func nextLine(_ tape: inout JSONTape) throws(JSONError) -> JSONStep {
    skipWhitespace()
    guard position < window.end else { return window.isComplete ? .end : .starved }
    levels.removeAll()
    expectation = .value
    let start = position
    do throws(JSONError) {
      return try nextValue(&tape)
    } catch {
      // Whoever goes on looks for the end of the line that the value began in.
      position = start
      throw error
    }
  }

  /// Moves behind the first line feed from here on; false where it has not come yet.
  package mutating func skipLine() -> Bool {
    while position < window.end {
      position += 1
      if window[position - 1] == 0x0A { return true }
    }
    return window.isComplete
  }
}

// A value of the tape as JSON again.
extension JSONScanner {
  /// Appends the value at `index` as compact JSON; numbers stay as the document spells them.
  package func write(_ index: Int, of tape: borrowing JSONTape, to buffer: inout [UInt8]) {
    switch tape.kind(index) {
    case .null: buffer += "null".utf8
    case .yes: buffer += "true".utf8
    case .no: buffer += "false".utf8
    case .integer, .real, .beyond: buffer += digits(index, of: tape)
    case .string, .name: JSONWriter.append(string(index, of: tape), to: &buffer)
    case .array: writeElements(index, of: tape, to: &buffer)
    case .object: writeMembers(index, of: tape, to: &buffer)
    }
  }

  private func writeElements(_ index: Int, of tape: borrowing JSONTape, to buffer: inout [UInt8]) {
    buffer.append(UInt8(ascii: "["))
    var element = index + 1
    while element < tape.end(of: index) {
      if element > index + 1 { buffer.append(UInt8(ascii: ",")) }
      write(element, of: tape, to: &buffer)
      element = tape.end(of: element)
    }
    buffer.append(UInt8(ascii: "]"))
  }

  private func writeMembers(_ index: Int, of tape: borrowing JSONTape, to buffer: inout [UInt8]) {
    buffer.append(UInt8(ascii: "{"))
    var member = index + 1
    while member < tape.end(of: index) {
      if member > index + 1 { buffer.append(UInt8(ascii: ",")) }
      write(member, of: tape, to: &buffer)
      buffer.append(UInt8(ascii: ":"))
      write(member + 1, of: tape, to: &buffer)
      member = tape.end(of: member + 1)
    }
    buffer.append(UInt8(ascii: "}"))
  }
}

/// A number that a text spells, by JSON's grammar; `nil` where it is none or does not fit.
package func spelledNumber(_ text: UnsafeBufferPointer<UInt8>) -> BorrowedValue? {
  guard let base = text.baseAddress, text.count > 0 else { return nil }
  switch JSONNumber.scan(base, from: 0, to: text.count, isComplete: true) {
  case .integer(let value, let end) where end == text.count: return .integer(value)
  case .real(let value, let end) where end == text.count: return .real(value)
  default: return nil
  }
}
