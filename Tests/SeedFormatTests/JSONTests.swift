import SeedFormat
import Support
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    #"{}"#, #"[]"#, #" [1 , -0, 0.5e-3, 1E+2, "aA\n\u0041\uD83D\uDE00", true,false,null ] "#,
    #"{"a":{"b":[[]]},"":0}"#, "9223372036854775807", "-9223372036854775808", #""\u0000""#,
  ])
  func `valid documents are read`(_ text: String) throws {
    _ = try JSONValue(parsing: Array(text.utf8))
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1,]", #"{"a":1,}"#, "[,1]", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, "01", "1.", ".5", "+1",
    "-",
    "1e", "0x1", "NaN", "Infinity", "tru", "nul", "[1 2]", "[1]]", "{}{}", #""\x""#, #""\u12""#, #""\uD800""#,
    #""\uDC00""#, #""\uD800\u0041""#, #""a"#, "\"a\nb\"", #"{"a":1,"a":2}"#, "\u{FEFF}{}",
    "9223372036854775808",
    "1e400", "[1}", "{]", "/**/1", "'a'", #"{"a":1 "b":2}"#,
  ])
  func `invalid documents are rejected`(_ text: String) {
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
  }

  @Test(arguments: [
    [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
  ])
  func `a string that is not UTF-8 is rejected`(_ bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
  }

  @Test func `a document cut at any byte is rejected`() throws {
    let sample = Array(#"{"a":[1,-2.5e3,"x\u00e9y",true,null],"b":{"c":"d"}}"#.utf8)
    _ = try JSONValue(parsing: sample)
    for end in 0..<sample.count {
      #expect(throws: JSONError.self) { try JSONValue(parsing: Array(sample[..<end])) }
    }
  }

  @Test func `the error has a byte offset`() {
    #expect(throws: JSONError(at: 6, "expected a value")) { try JSONValue(parsing: Array(#"{"a": x}"#.utf8)) }
  }

  @Test func `nesting is limited and does not crash`() throws {
    let depth = Limits.jsonDepth
    _ = try JSONValue(
      parsing: Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8))
    #expect(throws: JSONError.self) {
      try JSONValue(parsing: Array(String(repeating: "[", count: 10_000).utf8))
    }
  }

  @Test func `a written tree is read back equal`() throws {
    let tree: JSONValue = [
      "text": "a\u{0}\"\\\u{1F}é\u{1F600}",
      "numbers": [0, -1, .integer(.max), .real(0.1), .real(-0.0), .real(.leastNonzeroMagnitude)],
      "nothing": .null, "yes": true,
    ]
    #expect(try JSONValue(parsing: tree.bytes) == tree)
  }
}
