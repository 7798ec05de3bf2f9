import SeedFormat
import SeedHTTP
import Support
import Testing

@Suite struct QueryTests {
  @Test(arguments: [
    ("/a", [:]), ("/a?", [:]), ("/a?b", ["b": ""]), ("/a?b=", ["b": ""]),
    ("/a?model=2.1&since=100", ["model": "2.1", "since": "100"]),
    ("/a?x=%41+%", ["x": "%41+%"]), ("/a?x=a=b?c", ["x": "a=b?c"]), ("/a?%78=1", ["%78": "1"]),
  ])
  func `a valid query is split at its separators and not decoded`(_ target: String, _ items: [String: String])
    throws
  {
    #expect(try HTTPRequest(.get, target).queryItems == items)
  }

  @Test(arguments: [
    ("/a?x=1&x=1", "x"), ("/a?x=1&y=2&x", "x"), ("/a?=1", nil), ("/a?x=1&", nil), ("/a?x=1&&y=2", nil),
  ])
  func `an ambiguous query is rejected with its parameter`(_ target: String, _ parameter: String?) {
    let error = #expect(throws: Problem.self) { try HTTPRequest(.get, target).queryItems }
    #expect(error?.type == .badRequest && error?.members.first?.value.string == parameter)
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
