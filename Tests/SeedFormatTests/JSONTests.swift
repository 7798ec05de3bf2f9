import SeedFormat
import Support
import Testing

@Suite struct JSONTests {
  @Test(arguments: ["", "[1]]", "{}{}", #"{"a":1,"a":2}"#, "9223372036854775808", "1e400"])
  func `invalid documents are rejected`(_ text: String) {
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
  }

  @Test func `the error has a byte offset`() {
    #expect(throws: JSONError(at: 6, "expected a value")) { try JSONValue(parsing: Array(#"{"a": x}"#.utf8)) }
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
