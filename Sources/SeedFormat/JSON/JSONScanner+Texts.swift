extension JSONScanner {
  /// Returns a string's bytes in place, valid until the scanner is fed or the tape is refilled.
  package func text(_ index: Int, of tape: borrowing JSONTape) -> UnsafeBufferPointer<UInt8> {
    let entry = tape[index]
    guard entry.isCopied else { return window.bytes(Int(entry.payload)..<Int(entry.payload) + entry.count) }
    return UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(entry.payload)), count: entry.count)
  }

  /// Returns a number's original digits, valid as long as the result of ``text(_:of:)``.
  package func digits(_ index: Int, of tape: borrowing JSONTape) -> UnsafeBufferPointer<UInt8> {
    let start = tape.offset(index)
    return window.bytes(start..<start + tape.count(index))
  }

  /// The bytes in memory, and the document offset of the first; payloads are such offsets. Valid as long as strings are.
  package var held: (base: UnsafePointer<UInt8>, start: Int) { (window.base, window.start) }

  package func string(_ index: Int, of tape: borrowing JSONTape) -> String {
    String(decoding: text(index, of: tape), as: UTF8.self)
  }

  package func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { window.bytes(range) }

  /// Appends the value at `index` as compact JSON; numbers keep their original digits.
  package func write(_ index: Int, of tape: borrowing JSONTape, to buffer: inout [UInt8]) {
    switch tape.kind(index) {
    case .null: buffer += "null".utf8
    case .yes: buffer += "true".utf8
    case .no: buffer += "false".utf8
    case .integer, .real, .beyond: buffer += digits(index, of: tape)
    case .string, .name: JSONWriter.append(string(index, of: tape), to: &buffer)
    case .array: writeContent(index, "[", "]", of: tape, to: &buffer)
    case .object: writeContent(index, "{", "}", of: tape, to: &buffer)
    }
  }

  private func writeContent(
    _ index: Int, _ open: Unicode.Scalar, _ close: Unicode.Scalar, of tape: borrowing JSONTape,
    to buffer: inout [UInt8]
  ) {
    buffer.append(UInt8(ascii: open))
    var entry = index + 1
    while entry < tape.end(of: index) {
      if entry > index + 1 { buffer.append(UInt8(ascii: ",")) }
      if tape.kind(entry) == .name {
        write(entry, of: tape, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        entry += 1
      }
      write(entry, of: tape, to: &buffer)
      entry = tape.end(of: entry)
    }
    buffer.append(UInt8(ascii: close))
  }
}
