import SeedFormat
import Support
import Testing

/// RFC 8259, sections 2 to 5, 8 and 9.
@Suite struct JSONGrammarTests {
  // MARK: Structure

  @Test func `arrays, objects and scalars are read`() {
    for text in [
      "[]", "{}", "[[]]", "[{}]", #"{"":[]}"#, "[1,2]", "[[1],[2,[3]]]", #"{"a":1,"b":[{"c":{}}]}"#,
      #"[{"a":1},{"a":2}]"#, #"{"a":{"a":{"a":0}}}"#, "0", "-1.5e3", "true", "false", "null", #""""#, #""a""#,
      " 1 ",
      "\n\"\\u0061\"\t",
    ] {
      expectRead(text)
    }
    #expect(expectRead("[true,false,null]").count == 5)
  }

  @Test(
    arguments: [
      ("a value", [("[1,]", 3), ("[,1]", 1), ("[,]", 1), ("[1,,2]", 3), ("]", 0), ("[}", 1)]),
      ("a comma or the end of the array", [("[1 2]", 3), ("[1}", 2), ("[1:2]", 2), (#"["a":1]"#, 4)]),
      ("a value", [(#"{"a":}"#, 5), (#"{"a"::1}"#, 5), ("}", 0)]),
      ("a colon", [(#"{"a"}"#, 4), (#"{"a",1}"#, 4), (#"{"a" 1}"#, 5)]),
      (
        "a member name",
        [
          (#"{"a":1,}"#, 7), (#"{,"a":1}"#, 1), ("{a:1}", 1), ("{'a':1}", 1), ("{1:1}", 1), ("{null:1}", 1),
          ("{[]:1}", 1),
          ("{]", 1),
        ]
      ),
      ("a comma or the end of the object", [(#"{"a":1 "b":2}"#, 7), (#"{"a":1]"#, 6)]),
    ] as [(String, [(String, Int)])])
  func `invalid arrays and objects are rejected`(expected: String, documents: [(String, Int)]) {
    for (text, offset) in documents { expectRefused(text, at: offset, "expected \(expected)") }
  }

  @Test func `content after the document is rejected`() {
    for (text, offset) in [
      ("{}{}", 2), ("[]]", 2), ("1 2", 2), ("01", 1), ("null,", 4), ("[] x", 3), ("\"a\"\0", 3), ("truex", 4),
      ("{}\u{FEFF}", 2),
    ] {
      expectRefused(text, at: offset, "expected the end of the document")
    }
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
    // Siblings do not count.
    expectRead("[" + Array(repeating: "[[]]", count: depth + 1).joined(separator: ",") + "]")
  }

  @Test(arguments: ["[", #"{"a":"#, #"[{"a":"#])
  func `ten thousand nested levels are rejected without a crash`(_ open: String) {
    let document = Array(String(repeating: open, count: 10_000).utf8)
    let pieces = stride(from: 1, to: document.count, by: 7)
    let errors = [
      JSONReading(tokensOf: document), JSONReading(valueOf: document),
      JSONReading(tokensOf: document, cuts: pieces),
      JSONReading(valueOf: document, cuts: pieces),
    ].map(\.error?.reason)
    #expect(errors == Array(repeating: "nesting deeper than \(Limits.jsonDepth)", count: 4))
  }
}
