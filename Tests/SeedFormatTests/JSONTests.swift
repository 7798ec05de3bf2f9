import SeedFormat
import Support
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    ("", 0), ("[1]]", 3), ("{}{}", 2), (#"{"a":1,"a":2}"#, 7), ("9223372036854775808", 0), ("1e400", 0),
    (#"{"a": x}"#, 6),
  ])
  func `an invalid document is rejected with the offset`(_ text: String, _ offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    #expect(error?.offset == offset)
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
