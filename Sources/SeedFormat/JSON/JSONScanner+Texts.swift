// The bytes that tokens and tapes stand for.
extension JSONScanner {
  /// The bytes of a text on the tape, where they lie: good until the scanner is fed or the tape filled again.
  package func text(_ index: Int, of tape: borrowing JSONTape) -> UnsafeBufferPointer<UInt8> {
    tape.text(index, window)
  }

  /// A number on the tape as the document spells it; good as long as texts are.
  package func digits(_ index: Int, of tape: borrowing JSONTape) -> UnsafeBufferPointer<UInt8> {
    let start = tape.offset(index)
    return window.bytes(start..<start + tape.count(index))
  }

  /// The bytes in memory, and the first one's offset in the document: a text without escapes lies as far behind
  /// it as its payload says. Good as long as texts are.
  package var held: (base: UnsafePointer<UInt8>, start: Int) { (window.base, window.start) }

  /// A text on the tape, as a string of its own.
  package func string(_ index: Int, of tape: borrowing JSONTape) -> String {
    String(decoding: text(index, of: tape), as: UTF8.self)
  }

  /// The bytes of a range of the document that is still in the window.
  package func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { window.bytes(range) }
}
