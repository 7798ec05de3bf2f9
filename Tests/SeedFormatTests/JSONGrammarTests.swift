import SeedFormat
import Support
import Testing

/// RFC 8259, sections 2 to 5, 8 and 9.
@Suite struct JSONGrammarTests {
  // MARK: Structure

  @Test func `arrays and objects are read`() {
    for text in [
      "[]", "{}", "[[]]", "[{}]", #"{"":[]}"#, "[1,2]", "[[1],[2,[3]]]", #"{"a":1,"b":[{"c":{}}]}"#,
      #"[{"a":1},{"a":2}]"#, #"{"a":{"a":{"a":0}}}"#,
    ] {
      expectRead(text)
    }
  }

  @Test func `invalid arrays are rejected`() {
    expectRefused("[1,]", at: 3, "expected a value")
    expectRefused("[,1]", at: 1, "expected a value")
    expectRefused("[,]", at: 1, "expected a value")
    expectRefused("[1,,2]", at: 3, "expected a value")
    expectRefused("[1 2]", at: 3, "expected a comma or the end of the array")
    expectRefused("[1}", at: 2, "expected a comma or the end of the array")
    expectRefused("[1:2]", at: 2, "expected a comma or the end of the array")
    expectRefused("]", at: 0, "expected a value")
    expectRefused("[}", at: 1, "expected a value")
    expectRefused(#"["a":1]"#, at: 4, "expected a comma or the end of the array")
  }

  @Test func `invalid objects are rejected`() {
    expectRefused(#"{"a"}"#, at: 4, "expected a colon")
    expectRefused(#"{"a",1}"#, at: 4, "expected a colon")
    expectRefused(#"{"a" 1}"#, at: 5, "expected a colon")
    expectRefused(#"{"a":}"#, at: 5, "expected a value")
    expectRefused(#"{"a"::1}"#, at: 5, "expected a value")
    expectRefused(#"{"a":1,}"#, at: 7, "expected a member name")
    expectRefused(#"{,"a":1}"#, at: 1, "expected a member name")
    expectRefused(#"{"a":1 "b":2}"#, at: 7, "expected a comma or the end of the object")
    expectRefused(#"{"a":1]"#, at: 6, "expected a comma or the end of the object")
    expectRefused("{a:1}", at: 1, "expected a member name")
    expectRefused("{'a':1}", at: 1, "expected a member name")
    expectRefused("{1:1}", at: 1, "expected a member name")
    expectRefused("{null:1}", at: 1, "expected a member name")
    expectRefused("{[]:1}", at: 1, "expected a member name")
    expectRefused("{]", at: 1, "expected a member name")
    expectRefused("}", at: 0, "expected a value")
  }

  @Test func `a scalar is a complete document`() {
    for text in ["0", "-1.5e3", "true", "false", "null", #""""#, #""a""#, " 1 ", "\n\"\\u0061\"\t"] {
      expectRead(text)
    }
  }

  @Test func `content after the document is rejected`() {
    let reason = "expected the end of the document"
    expectRefused("{}{}", at: 2, reason)
    expectRefused("[]]", at: 2, reason)
    expectRefused("1 2", at: 2, reason)
    expectRefused("01", at: 1, reason)
    expectRefused("null,", at: 4, reason)
    expectRefused("[] x", at: 3, reason)
    expectRefused("\"a\"\0", at: 3, reason)
    expectRefused("truex", at: 4, reason)
    expectRefused("{}\u{FEFF}", at: 2, reason)
  }

  @Test func `an empty document is an error`() {
    for text in ["", " ", "\n\t\r "] {
      expectRefused(text, at: text.utf8.count, "the document ends too early")
    }
  }

  // MARK: Whitespace

  @Test func `the four kinds of white space are allowed between all tokens`() {
    let space = " \t\n\r"
    let parts = [
      "[", "1", ",", "{", #""a""#, ":", "true", ",", #""b""#, ":", "[", "]", "}", ",", "null", "]",
    ]
    let spaced = expectRead(space + parts.joined(separator: space) + space)
    #expect(spaced == expectRead(parts.joined()))
  }

  @Test func `other spaces are rejected`() {
    for byte: UInt8 in [0x00, 0x0B, 0x0C, 0x1C, 0x1F, 0x7F, 0x85, 0xA0] {
      expectRefused([byte, 0x31], at: 0, "expected a value")
      expectRefused([0x5B, byte, 0x31, 0x5D], at: 1, "expected a value")
      expectRefused([0x31, byte], at: 1)
    }
    for space in ["\u{A0}", "\u{2028}", "\u{3000}", "\u{FEFF}"] {
      expectRefused("[\(space)1]", at: 1, "expected a value")
    }
  }

  @Test func `comments are rejected`() {
    for text in ["/**/1", "//\n1", "[1/**/]", "[1]//", "#\n1"] { expectRefused(text) }
  }

  @Test func `a byte order mark and other encodings are rejected`() {
    expectRefused("\u{FEFF}{}", at: 0, "expected a value")
    expectRefused([0xFF, 0xFE, 0x31, 0x00], at: 0, "expected a value")
    expectRefused([0xFE, 0xFF, 0x00, 0x31], at: 0, "expected a value")
    expectRefused([0x31, 0x00], at: 1)
  }

  // MARK: Literals

  @Test func `the three literals are read`() {
    #expect(expectRead("[true,false,null]").count == 5)
  }

  @Test func `words similar to literals are rejected`() {
    for text in [
      "tru", "t", "nul", "fals", "True", "TRUE", "Null", "NaN", "nan", "Infinity", "-Infinity", "undefined",
      "yes", "a", "tRue", "nulL", "truE",
    ] {
      expectRefused(text)
      expectRefused("[\(text)]")
    }
    expectRefused("[nuLl]", at: 1, "expected a value")
    expectRefused("[truefalse]", at: 5, "expected a comma or the end of the array")
  }

  // MARK: Names

  @Test func `a duplicate name is rejected`() {
    for text in [
      #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":3}"#, #"{"":1,"":1}"#, #"{"x":{"a":[],"a":{}}}"#,
      #"[{"a":1},{"a":1,"a":1}]"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\/":1,"/":2}"#,
      #"{"é":1,"\u00e9":2}"#, #"{"😀":1,"\uD83D\ude00":2}"#, #"{"\u0000":1,"\u0000":2}"#,
      #"{"a":{"b":1},"a":0}"#,
      #"{"axb":1,"ayb":2,"azb":3,"ayb":4}"#,
    ] {
      expectRefused(text)
    }
    #expect(readThreeWays(Array(#"{"b":0,"a":1,"\u0061":2}"#.utf8)).error?.offset == 13)
  }

  @Test func `names that only look alike are different`() {
    for text in [
      #"{"a":1,"A":2}"#, #"{"é":1,"e\u0301":2}"#, #"{"a":1,"a ":2}"#, #"{"a":{"a":1},"b":{"a":1}}"#,
      #"{"a":1,"a\u0000":2}"#, #"{"ab":["a","a"],"a":"ab"}"#, #"{"Å":1,"\u212B":2}"#,
      #"{"axb":1,"ayb":2,"azb":3}"#, #"{"":1,"\u0000":2," ":3}"#,
    ] {
      expectRead(text)
    }
  }

  @Test(arguments: [2, 40])
  func `a duplicate name is found among many`(_ count: Int) {
    let names = (0..<count).map { "\"m\($0)\"" }
    expectRead("{" + names.map { $0 + ":[0]" }.joined(separator: ",") + "}")
    for name in [names[0], names[count - 1], "\"\\u006d\(count / 2)\""] {
      expectRefused("{" + (names + [name]).map { $0 + ":{}" }.joined(separator: ",") + "}")
    }
  }

  // MARK: Depth

  @Test func `the deepest nesting is read and one more level is rejected`() {
    let depth = Limits.jsonDepth
    for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"b":"#, "}]")] {
      let levels = open.utf8.filter { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }.count
      let opening = String(repeating: open, count: depth / levels)
      let closing = String(repeating: close, count: depth / levels)
      expectRead(opening + "0" + closing)
      expectRefused(opening + "[" + "]" + closing, at: opening.utf8.count, "nesting deeper than \(depth)")
      expectRefused(opening + "{" + "}" + closing, at: opening.utf8.count, "nesting deeper than \(depth)")
    }
  }

  @Test func `siblings do not count as depth`() {
    expectRead("[" + Array(repeating: "[[]]", count: 200).joined(separator: ",") + "]")
  }

  @Test(arguments: ["[", #"{"a":"#, #"[{"a":"#])
  func `ten thousand nested levels are rejected without a crash`(_ open: String) {
    let document = Array(String(repeating: open, count: 10_000).utf8)
    let pieces = stride(from: 1, to: document.count, by: 7)
    let reason = "nesting deeper than \(Limits.jsonDepth)"
    #expect(JSONReading(tokensOf: document).error?.reason == reason)
    #expect(JSONReading(valueOf: document).error?.reason == reason)
    #expect(JSONReading(tokensOf: document, cuts: pieces).error?.reason == reason)
    #expect(JSONReading(valueOf: document, cuts: pieces).error?.reason == reason)
  }
}
