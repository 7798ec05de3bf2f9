import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedHTTP

extension SocketTests {
  /// Requests of every size, from small ones to ones that no server reads.
  @Suite struct HeadSizes {
    enum Shape: CaseIterable {
      case path, query, field, shortFields, cookies

      /// A header section of about this many bytes, with its number of fields.
      func head(bytes: Int) -> (text: String, fields: Int) {
        let (start, end) = ("GET / HTTP/1.1\r\n", "Host: localhost\r\n\r\n")
        let rest = max(1, bytes - start.utf8.count - end.utf8.count)
        switch self {
        case .path: return ("GET /\(filler(rest)) HTTP/1.1\r\n\(end)", 1)
        case .query: return ("GET /?\(filler(rest)) HTTP/1.1\r\n\(end)", 1)
        case .field: return ("\(start)X-A: \(filler(rest))\r\n\(end)", 2)
        case .shortFields:
          return (start + String(repeating: "X-A: b\r\n", count: rest / 8) + end, rest / 8 + 1)
        case .cookies:
          let cookie = "Cookie: \(filler(Self.cookieBytes - 10))\r\n"
          let count = rest / Self.cookieBytes
          return (start + String(repeating: cookie, count: count) + end, count + 1)
        }
      }

      private static let cookieBytes = 500

      private func filler(_ count: Int) -> String { String(repeating: "a", count: count) }
    }

    /// libmicrohttpd's overhead per field, and its own; it also copies the first cookie.
    private static let (bytesPerField, bytesOfItself) = (64, 1_536)

    @Test(.full, arguments: Shape.allCases)
    func `an oversized request is answered, with a problem document if it can be parsed`(shape: Shape)
      throws
    {
      let server = try startServer()
      let memory = HTTPServerConfiguration().connectionMemoryBytes
      for bytes in stride(from: 100, through: 40_000, by: 130) {
        let head = shape.head(bytes: bytes)
        let client = try RawClient(port: server.port)
        client.send(head.text)
        let response = try client.response()
        let expected = Self.status(of: head.text, fields: head.fields)
        #expect(
          response.status == expected || expected != 200 && [414, 431].contains(response.status), "\(bytes)")
        let needed = head.text.utf8.count + head.fields * Self.bytesPerField + Self.bytesOfItself
        // A long target is rejected before its fields are read.
        guard response.status != 200, needed < memory else { continue }
        #expect(response.status == expected, "\(bytes)")
        #expect(response["Content-Type"] == "application/problem+json", "\(bytes)")
        #expect(response["Connection"] == "close" && client.readToEnd().isEmpty)
      }
      #expect(try RawClient(port: server.port).get("/alive").status == 200)
    }

    private static func status(of head: String, fields: Int) -> Int {
      let target = head.split(separator: " ")[1].utf8.count
      if target > HeadSize.targetLimit { return 414 }
      return head.utf8.count > HTTPServerConfiguration().headLimit || fields > HeadSize.fieldLimit ? 431 : 200
    }

    @Test func `size errors take precedence and have no body for HEAD`()
      throws
    {
      let server = try startServer()
      let long = String(repeating: "a", count: HeadSize.targetLimit)
      for (line, status) in [("POST /\(long) HTTP/1.1", 414), ("GET //\(long) HTTP/1.2", 414)] {
        let client = try RawClient(port: server.port)
        client.send("\(line)\r\nHost: a\r\nHost: b\r\n\r\n")
        #expect(try client.response().status == status, "\(line.suffix(8))")
      }
      let client = try RawClient(port: server.port)
      let head = try client.get("/\(long)", method: "HEAD")
      #expect(head.status == 414 && head["Content-Length"] != "0" && head["Date"] != nil)
      #expect(client.readToEnd().isEmpty)
    }

    @Test func `a target longer than any head is counted and observed once`() throws {
      let told = Told()
      let server = try startServer { $0.observe = { told.add($0, $1) } }
      let target = "/" + String(repeating: "a", count: HTTPServerConfiguration().headLimit)
      let client = try RawClient(port: server.port)
      let response = try client.get(target)
      #expect(response.status == 414 && !response.body.isEmpty && client.readToEnd().isEmpty)
      try told.wait(for: 1)
      let exchanges = told.exchanges.withLock { $0 }
      #expect(exchanges.count == 1 && exchanges[0].request.path == target)
      #expect(exchanges[0].measurement.status == 414 && server.load().refused[.head] == 1)
    }

    @Test func `the response before a rejected request is sent completely`() throws {
      let server = try startServer()
      let client = try RawClient(port: server.port)
      let long = String(repeating: "a", count: HeadSize.targetLimit)
      client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().status == 200)
      #expect(try client.response().status == 414)
    }
  }
}
