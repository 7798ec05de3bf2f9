import SeedHTTP
import Support
import Testing

@Suite struct QueryTests {
  @Test(arguments: [
    ("/a", [:]), ("/a?", [:]), ("/a?b", ["b": ""]), ("/a?b=", ["b": ""]),
    ("/a?model=2.1&since=100", ["model": "2.1", "since": "100"]),
    ("/a?x=%41%2b+%26%3D", ["x": "A++&="]), ("/a?x=caf%C3%A9", ["x": "caf\u{E9}"]),
    ("/a?x=a=b?c", ["x": "a=b?c"]), ("/a?%78=1", ["x": "1"]),
  ])
  func `a valid query is decoded`(_ target: String, _ items: [String: String]) throws {
    #expect(try HTTPRequest(.get, target).queryItems == items)
  }

  @Test(arguments: [
    ("/a?x=%", HTTPQueryError.badPercentEncoding(parameter: "x")),
    ("/a?x=%4", .badPercentEncoding(parameter: "x")), ("/a?x=%g0", .badPercentEncoding(parameter: "x")),
    ("/a?x=%+1", .badPercentEncoding(parameter: "x")), ("/a?%zz=1", .badPercentEncoding(parameter: "%zz")),
    ("/a?x=%ff", .invalidUTF8(parameter: "x")), ("/a?x=%C0%AF", .invalidUTF8(parameter: "x")),
    ("/a?x=%ED%A0%80", .invalidUTF8(parameter: "x")), ("/a?x=%00", .nul(parameter: "x")),
    ("/a?x=1&x=1", .duplicate(parameter: "x")), ("/a?x=1&%78=2", .duplicate(parameter: "x")),
    ("/a?=1", .missingName), ("/a?x=1&", .missingName), ("/a?x=1&&y=2", .missingName),
  ])
  func `an ambiguous query is rejected with its parameter`(_ target: String, _ error: HTTPQueryError) {
    #expect(throws: error) { try HTTPRequest(.get, target).queryItems }
  }

  @Test func `headers are case-insensitive and keep their order`() {
    var headers: HTTPHeaders = ["ETag": "\"a\"", "Link": "1", "link": "2"]
    #expect(headers["etag"] == "\"a\"")
    #expect(headers.values(of: "LINK") == ["1", "2"])
    headers.set("LINK", to: "3")
    #expect(headers.fields.map(\.name) == ["ETag", "LINK"])
    #expect(headers["Lin"] == nil)
  }
}
