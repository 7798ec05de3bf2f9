import Support
import Testing

@testable import SeedFormat

@Suite struct JSONPassageTests {
  /// The offset at which a value fed in pieces ends, or its error.
  private func passed(_ text: [UInt8], pieces: Int, mostBytes: Int) -> String {
    var scanner = JSONScanner()
    scanner.keepsBadTexts = true
    var tape = JSONTape()
    var (passage, rest) = (JSONPassage(mostBytes: mostBytes), text[...])
    do throws(JSONError) {
      while try !passage.goOn(&scanner, &tape) {
        if rest.isEmpty { scanner.complete() }
        rest.prefix(pieces).withUnsafeBytes { scanner.feed($0) }
        rest = rest.dropFirst(pieces)
      }
    } catch { return error.reason }
    return "\(scanner.offset) \(passage.flaw?.reason ?? "")"
  }

  private func expectSame(_ text: String, _ location: SourceLocation = #_sourceLocation) {
    let bytes = Array(text.utf8)
    let whole = passed(bytes, pieces: .max, mostBytes: .max)
    for pieces in [1, 2, 5, 64] {
      for mostBytes in [0, 3, 40] {
        let parts = passed(bytes, pieces: pieces, mostBytes: mostBytes)
        #expect(parts == whole, "\(text) by \(pieces), \(mostBytes)", sourceLocation: location)
      }
    }
  }

  @Test func `a skipped value ends at the same offset for any pieces`() {
    expectSame(
      #" {"a" : [1, -2.5e3 ,"x\u00e9y\uD83D\uDE00", true ,false,null], "b":{"c":"dÄ€😀", "":[] , "e":{ }}} , 7"#
    )
    expectSame(#"[[],[ ],[{"g":-0.0}], [[[1]]], {}]   ]"#)
    expectSame(#""text" "#)
    expectSame("12 ")
  }

  @Test func `invalid JSON is not skipped`() {
    for text in [
      #"{"a": [1, 2, }, "b": 1}"#, #"{"a": 1, "a": 2}"#, #"{"a": [1 2]}"#, #"[1, 2"#, #"{"a" 1}"#,
      #"{"a": {"b": tru}}"#,
    ] { expectSame(text) }
  }

  @Test func `an invalid string is reported and its value is skipped`() {
    expectSame(#"{"a": ["\ud800", 1], "b": {"c": "x"}}"#)
    expectSame(#"[{"a\ud800": 1}, "b"]"#)
  }

  @Test func `a duplicate name is found among very many`() throws {
    var scanner = JSONScanner()
    var tape = JSONTape()
    let names = (0..<3000).map { "\"name\($0)\": 1" }
    for (text, isRight) in [
      ("{\(names.joined(separator: ","))}", true), ("{\(names.joined(separator: ",")),\"name7\": 2}", false),
      ("{\(names.joined(separator: ",")),\"name2999\": 2}", false),
    ] {
      scanner.restart()
      var passage = JSONPassage(mostBytes: 0)
      let bytes = Array(text.utf8)
      bytes.dropLast().withUnsafeBytes { scanner.feed($0) }
      let isOver = Result { try passage.goOn(&scanner, &tape) }
      if isRight {
        #expect(try isOver.get() == false)
      } else {
        #expect(throws: JSONError.self) { try isOver.get() }
      }
    }
  }
}
