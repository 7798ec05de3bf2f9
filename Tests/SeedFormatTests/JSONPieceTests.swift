import Foundation
import Support
import Testing

@testable import SeedFormat

@Suite struct JSONPieceTests {
  private static let chunk = 64 * 1024

  // MARK: Truncation

  private static let sample =
    #" {"a" : [1, -2.5e3 ,"x\u00e9y\uD83D\uDE00", true ,false,null , 12345678901234567890],"# + "\n"
    + #" "b":{"c":"dÄ€😀", "":[] , "e":{ }},"f":[[],[ ],[{"g":-0.0}]]}"#

  @Test func `a document cut at any byte is an error if complete and starved if not`() {
    let whole = Array(Self.sample.utf8)
    expectRead(whole)
    for end in whole.indices {
      let part = Array(whole[..<end])
      #expect(JSONReading(tokensOf: part).error != nil, "cut at \(end)")
      let reason = JSONReading(valueOf: part).error?.reason
      #expect(["the document ends too early", "expected a digit"].contains(reason), "cut at \(end)")
      expectStarved(part)
    }
  }

  @Test func `a scalar may continue until the document is complete`() throws {
    for text in ["1", "12", "-1.5e3", "0"] {
      expectStarved(Array(text.utf8))
      expectRead(text)
    }
    for text in ["-", "1.", "1e", "1e+", "t", "nul", "\"", "\"\\", "\"\\u12", "\"\u{E9}"] {
      expectStarved(Array(text.utf8))
      expectRefused(text)
    }
  }

  /// Expects that a prefix yields nothing and that no call consumes it.
  private func expectStarved(_ part: [UInt8]) {
    var scanner = JSONScanner()
    part.withUnsafeBytes { scanner.feed($0) }
    var tape = JSONTape()
    do throws(JSONError) {
      for _ in 0..<3 {
        let step = try scanner.nextValue(&tape)
        #expect(step == .starved)
      }
    } catch {
      Issue.record("\(error) in \(String(decoding: part, as: UTF8.self))")
    }
  }

  @Test func `the scanner resumes after starvation at any point`() {
    let whole = Array(Self.sample.utf8)
    let expected = JSONReading(valueOf: whole)
    for first in whole.indices {
      for second in stride(from: first, to: whole.count, by: 5) {
        #expect(JSONReading(valueOf: whole, cuts: [first, first, second]) == expected)
      }
    }
  }

  // MARK: The end

  @Test func `the end is permanent`() throws {
    var scanner = JSONScanner(Array("[1] ".utf8))
    var tape = JSONTape()
    let steps = try [scanner.nextValue(&tape), scanner.nextValue(&tape), scanner.nextValue(&tape)]
    #expect(steps == [.value, .end, .end])
    let tokens = try [scanner.next(), scanner.next()]
    #expect(tokens == [.end, .end])
  }

  @Test func `an array read by element ends once`() throws {
    var scanner = JSONScanner(Array(#"{"a":[ ],"b":[1],"c":2}"#.utf8))
    var tape = JSONTape()
    #expect(try [scanner.next(), scanner.next(), scanner.next()] == [.beginObject, .name("a"), .beginArray])
    #expect(try scanner.nextValue(&tape) == .end)
    #expect(try [scanner.next(), scanner.next()] == [.name("b"), .beginArray])
    #expect(try [scanner.nextValue(&tape), scanner.nextValue(&tape)] == [.value, .end])
    #expect(try scanner.next() == .name("c"))
    #expect(try scanner.nextValue(&tape) == .value)
    #expect(tape.integer(0) == 2)
    #expect(try [scanner.next(), scanner.next()] == [.endObject, .end])
  }

  @Test func `a value in place of a name is rejected`() throws {
    var scanner = JSONScanner(Array(#"{"a":1}"#.utf8))
    var tape = JSONTape()
    #expect(try scanner.next() == .beginObject)
    #expect(throws: JSONError(at: 1, "expected a value")) { try scanner.nextValue(&tape) }
  }

  // MARK: The window

  @Test func `offsets stay right and memory stays small while the window moves`() throws {
    // More than three chunks.
    let rows = Stage.isDeep ? 200_000 : 6_000
    let document = Self.rows(rows)
    var scanner = JSONScanner()
    var pieces = Pieces(document, Self.chunk)
    var tape = JSONTape()
    var (read, held) = (0, 0)
    while try scanner.next() == .starved { pieces.feed(&scanner) }
    var step = JSONStep.starved
    repeat {
      held = max(held, scanner.window.end - scanner.window.start)
      step = try scanner.nextValue(&tape)
      switch step {
      case .end: break
      case .starved: pieces.feed(&scanner)
      case .value:
        if !isRow(read, document, scanner, tape) { Issue.record("row \(read) differs") }
        read += 1
      }
    } while step != .end
    #expect(read == rows)
    #expect(held <= 2 * Self.chunk)
    #expect(scanner.offset == document.count)
  }

  private func isRow(
    _ row: Int, _ document: [UInt8], _ scanner: borrowing JSONScanner, _ tape: borrowing JSONTape
  ) -> Bool {
    let offset = tape.offset(0)
    return Int(tape.integer(2)) == row
      && scanner.string(4, of: tape) == (row % 3 == 0 ? "Zürich \(row)" : "\n\(row)")
      && document[offset...].starts(with: #"{"id""#.utf8)
      && scanner.bytes(offset..<offset + 1).first == UInt8(ascii: "{")
  }

  private static func rows(_ count: Int) -> [UInt8] {
    let rows = (0..<count).map {
      #"{"id":\#($0),"name":"\#($0 % 3 == 0 ? "Zürich" : "\\n")\#($0 % 3 == 0 ? " " : "")\#($0)"}"#
    }
    return Array(("[" + rows.joined(separator: " , ") + "]").utf8)
  }

  @Test func `an error far after the first window has the right offset`() {
    var document = Self.rows(6_000)
    let place = document.count - 20
    document[place] = 0x01
    let cuts = Array(stride(from: 1000, to: document.count, by: 1000))
    let whole = JSONReading(elementsOf: document)
    #expect(whole.error?.offset == place)
    #expect(JSONReading(elementsOf: document, cuts: cuts) == whole)
    #expect(JSONReading(tokensOf: document, cuts: cuts).error == whole.error)
  }

  @Test func `a string longer than any piece is read and the window holds only the string`() throws {
    let length = Stage.isDeep ? 100_000_000 : 1_000_000
    let piece = [UInt8](repeating: 0x61, count: Self.chunk)
    var scanner = JSONScanner()
    var (fed, held) = (0, 0)
    Array(#"[0,""#.utf8).withUnsafeBytes { scanner.feed($0) }
    var tape = JSONTape()
    #expect(try scanner.next() == .beginArray)
    #expect(try scanner.nextValue(&tape) == .value)
    while fed < length {
      #expect(try scanner.nextValue(&tape) == .starved)
      piece.withUnsafeBytes { scanner.feed($0) }
      fed += piece.count
      held = max(held, scanner.window.end - scanner.window.start)
    }
    Array(#"", 7]"#.utf8).withUnsafeBytes { scanner.feed($0) }
    scanner.complete()
    #expect(try scanner.nextValue(&tape) == .value)
    let (offset, bytes) = (tape.offset(0), scanner.text(0, of: tape).count)
    #expect(offset == 3)
    #expect(bytes == fed)
    #expect(held <= fed + Self.chunk)
    #expect(try [scanner.nextValue(&tape), scanner.nextValue(&tape)] == [.value, .end])
    #expect(scanner.offset == fed + 9)
  }

  @Test func `white space is not kept`() throws {
    let piece = [UInt8](repeating: 0x20, count: Self.chunk)
    var scanner = JSONScanner()
    var held = 0
    for _ in 0..<5 {
      piece.withUnsafeBytes { scanner.feed($0) }
      #expect(try scanner.next() == .starved)
      held = max(held, scanner.window.end - scanner.window.start)
    }
    #expect(held <= 2 * Self.chunk)
    Array("x".utf8).withUnsafeBytes { scanner.feed($0) }
    #expect(throws: JSONError(at: 5 * Self.chunk, "expected a value")) { try scanner.next() }
  }
}

private struct Pieces {
  private let document: [UInt8]
  private let size: Int
  private var position = 0

  init(_ document: [UInt8], _ size: Int) { (self.document, self.size) = (document, size) }

  mutating func feed(_ scanner: inout JSONScanner) {
    guard position < document.count else { return scanner.complete() }
    let piece = position..<min(position + size, document.count)
    document.withUnsafeBytes { scanner.feed(UnsafeRawBufferPointer(rebasing: $0[piece])) }
    position = piece.upperBound
  }
}
