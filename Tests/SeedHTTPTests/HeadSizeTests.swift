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

    @Test(.full, arguments: Shape.allCases)
    func `an oversized request is answered, with a problem document if it can be parsed`(shape: Shape)
      throws
    {
      let server = try startServer()
      for bytes in stride(from: 100, through: 40_000, by: 130) {
        let head = shape.head(bytes: bytes)
        let client = try RawClient(port: server.port)
        client.send(head.text)
        let response = try client.response()
        let expected = Self.status(of: head.text, fields: head.fields)
        #expect(
          response.status == expected || expected != 200 && [414, 431].contains(response.status), "\(bytes)")
        let needed = Self.bytes(of: head.text, fields: head.fields) + Self.ownBytes + Self.growthBytes
        // A long target is rejected before its fields are read.
        guard response.status != 200, needed < HeadSize.memoryBytes else { continue }
        #expect(response.status == expected, "\(bytes)")
        #expect(response["Content-Type"] == "application/problem+json", "\(bytes)")
        #expect(response["Connection"] == "close" && client.readToEnd().isEmpty)
      }
      #expect(try RawClient(port: server.port).get("/alive").status == 200)
    }

    private static func status(of head: String, fields: Int) -> Int {
      let target = head.split(separator: " ")[1].utf8.count
      if target > HeadSize.targetLimit { return 414 }
      return bytes(of: head, fields: fields) > HeadSize.limit || fields > HeadSize.fieldLimit ? 431 : 200
    }

    private static func bytes(of head: String, fields: Int) -> Int {
      head.utf8.count + fields * HeadSize.fieldBytes
    }

    /// Bytes by which the estimate of a response's head may be too low.
    private static let responseSpareBytes = 60
    /// The two fields that the shim adds, and a copy of the second.
    private static let ownBytes = 3 * HeadSize.fieldBytes + 16
    /// libmicrohttpd's buffer for heads grows by this, and begins with half of the memory.
    private static let growthBytes = 128

    /// The rest of a connection's memory, as measured in decision 223.
    private static let otherBytes = 1_091

    @Test func `the largest request and response fit into a connection's memory, which is at most 8 KiB`() {
      #expect(HeadSize.memoryBytes + Self.otherBytes <= 8192)
      let response = HeadSize.responseLimit + Self.responseSpareBytes
      let rest = HeadSize.memoryBytes - Self.ownBytes - response
      #expect(HeadSize.limit + Self.growthBytes <= rest)
      // Pipelined requests may fill the first buffer.
      #expect(HeadSize.memoryBytes / 2 + HeadSize.fieldLimit * HeadSize.fieldBytes <= rest)
    }

    @Test(arguments: [2, 6, 20, HeadSize.fieldLimit])
    func `the largest heads are answered, also before pipelined requests`(fields: Int) throws {
      let name = "X-A"
      // With the status line, Date, Content-Length and X-Content-Type-Options, and nothing else.
      let value = String(repeating: "a", count: HeadSize.responseLimit - 130 - name.utf8.count - 4)
      let server = try serve { _ in HTTPResponse(status: 200, headers: [name: value]) }
      let client = try RawClient(port: server.port)
      let largest = Self.largestHead(fields: fields)
      let requests =
        Array(repeating: largest, count: 3)
        + Array(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 200)
      client.send(requests.joined())
      for index in requests.indices { #expect(try client.response()[name] == value, "\(index)") }
    }

    @Test func `a response with a longer head becomes an error`() throws {
      let value = String(repeating: "a", count: HeadSize.responseLimit)
      let server = try serve { _ in HTTPResponse(status: 200, headers: ["X-A": value]) }
      #expect(try RawClient(port: server.port).get("/").status == 500)
    }

    private static func largestHead(fields: Int) -> String {
      let start =
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X-A: \r\n", count: fields - 2) + "X-A: "
      let rest = HeadSize.limit - bytes(of: start + "\r\n\r\n", fields: fields)
      return start + String(repeating: "a", count: rest) + "\r\n\r\n"
    }

    @Test func `a browser with 3 KiB of cookies is answered`() throws {
      let cookies = (0..<12).map { "name\($0)=" + String(repeating: "v", count: 248) }.joined(separator: "; ")
      let fields = (0..<18).map { "Sec-Fetch-Field-\($0): \(String(repeating: "a", count: 40))\r\n" }.joined()
      let server = try startServer()
      let client = try RawClient(port: server.port)
      #expect(try client.get("/", extra: "Cookie: \(cookies)\r\n\(fields)").status == 200)
      #expect(try client.get("/").status == 200)
    }

    // libmicrohttpd would keep a record of each, and would not answer when its memory is full.
    @Test func `a query may have any number of parameters`() throws {
      let query = String(repeating: "a&", count: HeadSize.targetLimit / 2 - 2)
      let server = try startServer()
      let client = try RawClient(port: server.port)
      #expect(try client.get("/?\(query)").body == Array("GET / \(query) 127.0.0.1".utf8))
      #expect(try client.get("/?\(query)\(query)").status == 414)
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
      let target = "/" + String(repeating: "a", count: HeadSize.limit)
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
