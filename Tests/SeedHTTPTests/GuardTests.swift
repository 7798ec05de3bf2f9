import SeedFormat
import Support
import Testing

@testable import SeedHTTP

@Suite struct GuardTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let head: RequestHead
    let status: Int?
    var testDescription: String { name }

    init(_ name: String, _ status: Int?, _ change: (inout RequestHead) -> Void) {
      var head = RequestHead()
      change(&head)
      self.name = name
      self.head = head
      self.status = status
    }
  }

  static func status(of head: RequestHead) -> Int? {
    do throws(Problem) {
      try head.check()
      return nil
    } catch {
      return error.type.status
    }
  }

  static func path(_ path: String, _ status: Int?) -> Case {
    Case("path \(path)", status) { $0.target = path }
  }

  static func field(_ name: String, _ value: String, _ status: Int?) -> Case {
    Case("field \(name): \(value)", status) { $0.headers.append(name, value) }
  }

  static let lineCases: [Case] = [
    Case("a plain request", nil) { _ in },
    Case("HEAD", nil) { $0.method = "HEAD" },
    Case("OPTIONS", nil) { $0.method = "OPTIONS" },
    Case("OPTIONS of the server", nil) { ($0.method, $0.target) = ("OPTIONS", "*") },
    Case("POST", 405) { $0.method = "POST" },
    Case("a method in lower case", 405) { $0.method = "get" },
    Case("a method that is not a token", 400) { $0.method = "G ET" },
    Case("an empty method", 400) { $0.method = "" },
    Case("HTTP/1.0 with Host", nil) { $0.version = "HTTP/1.0" },
    Case("HTTP/1.2", 505) { $0.version = "HTTP/1.2" },
    Case("HTTP/2.0", 505) { $0.version = "HTTP/2.0" },
    Case("HTTP/0.9", 505) { $0.version = "" },
    Case("a version in lower case", 505) { $0.version = "http/1.1" },
    Case("bytes that belong nowhere", 400) { $0.accountsForEveryByte = false },
  ]

  static let fieldCases: [Case] = [
    Case("no Host", 400) { $0.headers = [:] },
    Case("no Host in HTTP/1.0", nil) { ($0.headers, $0.version) = ([:], "HTTP/1.0") },
    Case("an empty Host", nil) { $0.headers = ["Host": ""] },
    Case("a Host with a port", nil) { $0.headers = ["Host": "example.org:8080"] },
    Case("an IPv6 Host", nil) { $0.headers = ["Host": "[::1]:80"] },
    Case("a Host with an underscore", nil) { $0.headers = ["Host": "seed_bank:8080"] },
    Case("a Host with user information", 400) { $0.headers = ["Host": "a@b"] },
    Case("a Host with a space", 400) { $0.headers = ["Host": "a b"] },
    field("host", "other", 400),
    field("Transfer-Encoding", "chunked", 400),
    field("transfer-encoding", "identity", 400),
    field("Transfer-Encoding ", "chunked", 400),
    field("Content-Length", "0", nil),
    field("Content-Length", "5", 400),
    field("Content-Length", "00", 400),
    field("Content-Length", "+0", 400),
    field("Content-Length", "", 400),
    Case("two lengths of zero", 400) { head in
      head.headers.append("Content-Length", "0")
      head.headers.append("content-length", "0")
    },
    field("X-A", "plain\twith tab", nil),
    field("X-A", "caf\u{E9}", nil),
    field("X-A", "", nil),
    field("X-A", "a\rb", 400),
    field("X-A", "a\u{0}b", 400),
    field("X-A", "a\u{7F}", 400),
    field("X\u{1}A", "a", 400),
    field("", "a", 400),
    Case("the most fields", nil) { head in
      (1..<HeadSize.fieldLimit).forEach { head.headers.append("X-\($0)", "v") }
    },
  ]

  static let pathCases: [Case] = [
    path("/v1/transit-2/A_b.c~d", nil), path("/a?b=/../%00#".replacing("#", with: ""), nil),
    path("/caf%C3%A9", nil), path("/a?", nil), path("", 400), path("a", 400), path("*", 400),
    path("http://localhost/", nil), path("HTTPS://other:1/a?b", nil), path("http://localhost", nil),
    path("http://", 400), path("http://localhost?a", 400), path("http:///a", 400), path("http://a@b/", 400),
    path("http://a/../b", 400), path("ftp://a/b", 400),
    path("/a b", 400), path("/a\u{0}", 400), path("/é", 400),
    path("/../etc", 400), path("/a/..", 400), path("//a", 400), path("/a//b", 400), path("/%00", 400),
    path("/%0d%0a", 400), path("/%2e%2e/", 400), path("/a%2Fb", 400), path("/a%5cb", 400), path("/%", 400),
    path("/%4", 400), path("/%zz", 400), path("/a;b", 400), path("/a\\b", 400), path("/a?b#c", 400),
    path("/a?b c", 400), path("/a?\u{7F}", 400),
  ]

  @Test(arguments: lineCases + fieldCases + pathCases)
  func `a request is accepted or rejected according to the table`(_ example: Case) {
    #expect(Self.status(of: example.head) == example.status)
  }

  @Test func `an absolute target without a path means the root`() {
    let target = Array("http://localhost:80".utf8)
    #expect(target.withUnsafeBufferPointer { RequestLine.originForm(of: $0).text } == "/")
  }

  @Test func `the version is checked before the framing and the framing before the method`() {
    let framing: HTTPHeaders = ["Host": "a", "Transfer-Encoding": "chunked"]
    #expect(Self.status(of: RequestHead(method: "POST", version: "HTTP/3.0", headers: framing)) == 505)
    #expect(Self.status(of: RequestHead(method: "POST", headers: framing)) == 400)
    #expect(Self.status(of: RequestHead(method: "POST")) == 405)
  }
}
