import SeedDatabase
import SeedFormat

/// A scanner with the tape that it fills: what a row's values are lent from.
struct DocumentSource: ~Copyable {
  var scanner: JSONScanner
  var tape = JSONTape()

  /// A source of what lies from there on in its document.
  init(at offset: Int = 0) { scanner = JSONScanner(at: offset) }

  func text(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.text(index, of: tape) }

  /// A number as the document spells it.
  func digits(_ index: Int) -> UnsafeBufferPointer<UInt8> { scanner.digits(index, of: tape) }

  func json(_ index: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    scanner.write(index, of: tape, to: &bytes)
    return bytes
  }

  /// The value in a part of the document that is still in memory, on the tape again.
  func again(_ range: Range<Int>) throws -> DocumentSource {
    var again = DocumentSource(at: range.lowerBound)
    again.scanner.feed(UnsafeRawBufferPointer(scanner.bytes(range)))
    again.scanner.complete()
    _ = try again.scanner.nextValue(&again.tape)
    return again
  }
}

/// The place of a row, for issues.
struct RowPlace {
  var document = ""
  var row = 0
  var offset = 0
}
