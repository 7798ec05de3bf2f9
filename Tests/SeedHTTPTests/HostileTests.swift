import Foundation
import SeedHTTP
import Support
import Testing

extension SocketTests {
  /// Request smuggling and other hostile bytes.
  @Suite struct Hostile {
    /// The statuses of all responses in these bytes.
    static func responses(in bytes: [UInt8]) -> [Int] {
      let text = String(decoding: bytes, as: UTF8.self)
      return text.matches(of: #/HTTP/1\.1 (\d{3}) /#).compactMap { Int($0.output.1) }
    }

    @Test(.full) func `broken framing never succeeds, gets two responses or affects the next client`()
      throws
    {
      let server = try startServer()
      for payload in Self.all {
        let client = try RawClient(port: server.port)
        client.send(payload.bytes)
        let answer = client.readToEnd()
        let statuses = Self.responses(in: answer)
        #expect(statuses.count <= 1, "\(payload.name): \(statuses)")
        #expect(statuses.allSatisfy { $0 >= 400 }, "\(payload.name): \(statuses)")
        #expect(!String(decoding: answer, as: UTF8.self).contains("smuggled"), "\(payload.name)")
        #expect(try RawClient(port: server.port).get("/alive").status == 200, "after \(payload.name)")
      }
    }

    @Test func `a rejected request gets one problem document and the connection closes`() throws {
      let server = try startServer { configuration in
        configuration.finish = { response, _ in
          var response = response
          response.headers.append("X-Finished", "yes")
          return response
        }
      }
      let examples: [(Payload, Int)] =
        [
          (Self.fields[0], 400), (Self.lengths[0], 400), (Self.targets[0], 400), (Self.lines[0], 405),
          (Self.versions[0], 505),
        ] + Self.unreadableLengths.map { ($0, 400) }
      for (payload, status) in examples {
        let client = try RawClient(port: server.port)
        client.send(payload.bytes)
        let response = try client.response()
        #expect(response.status == status, "\(payload.name)")
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(response["Connection"] == "close")
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(response["X-Finished"] == "yes", "what the server says itself looks like all else")
        #expect(client.readToEnd().isEmpty)
      }
    }

    /// Requests that libmicrohttpd itself answers, with the status of its page.
    private static let ownPages: [(name: String, head: String, status: Int)] = [
      (
        "a line that does not fit",
        "GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414
      ),
      (
        "fields that do not fit",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431
      ),
      ("HTTP/2.0", "GET /a HTTP/2.0\r\nHost: a\r\n\r\n", 505),
      ("HTTP/3.0", "GET /a HTTP/3.0\r\nHost: a\r\n\r\n", 505),
      ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
      ("no version", "GET /a\r\n\r\n", 400),
      ("a version in lower case", "GET /a http/1.1\r\nHost: a\r\n\r\n", 400),
      ("a version that is none", "GET /a X\r\nHost: a\r\n\r\n", 400),
    ]

    @Test func `a request rejected by libmicrohttpd gets one HTML page, is counted, and ends its connection`()
      throws
    {
      let server = try startServer()
      for (place, page) in Self.ownPages.enumerated() {
        let client = try RawClient(port: server.port)
        client.send(page.head)
        let response = try client.response()
        #expect(response.status == page.status, "\(page.name)")
        #expect(
          response["Content-Type"] == "text/html" || response.body.starts(with: Array("<html>".utf8)),
          "\(page.name)")
        #expect(client.readToEnd().isEmpty, "\(page.name)")
        try waitUntil("\(page.name) is counted") { server.load().refused[.head] ?? 0 >= place + 1 }
      }
      #expect(server.load().refused == [.head: Self.ownPages.count])
      let wordless = try RawClient(port: server.port)
      wordless.send("anything\r\n\r\n")
      #expect(wordless.readToEnd().isEmpty, "no request at all gets no answer")
      #expect(try RawClient(port: server.port).get("/alive").status == 200)
    }

    @Test func `Upgrade and Expect fields get one plain response`() throws {
      let server = try startServer()
      for fields in [
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
        "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n",
        "Expect: 100-continue\r\n", "Expect: 200-ok\r\n", "TE: trailers\r\n", "Trailer: Host\r\n",
        "Connection: Content-Length\r\n", "Proxy-Connection: keep-alive\r\n", "Keep-Alive: 300\r\n",
      ] {
        let client = try RawClient(port: server.port)
        client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        client.send("GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let statuses = Self.responses(in: client.readToEnd())
        // A request with Expect closes the connection.
        #expect(statuses == (fields.hasPrefix("Expect") ? [200] : [200, 200]), "\(fields)")
      }
    }

    @Test func `a valid request before a broken one is answered and one after it is not`() throws {
      #expect(Set(Self.all.map(\.name)).count == Self.all.count && Self.all.count >= 150)
      let server = try startServer()
      for payload in Self.all {
        let client = try RawClient(port: server.port)
        client.send(
          Array("GET /first HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + payload.bytes + Array(Self.smuggled.utf8))
        let answer = client.readToEnd()
        let statuses = Self.responses(in: answer)
        #expect(statuses.first == 200 && statuses.count <= 2, "\(payload.name): \(statuses)")
        #expect(statuses.dropFirst().allSatisfy { $0 >= 400 }, "\(payload.name): \(statuses)")
        #expect(!String(decoding: answer, as: UTF8.self).contains("smuggled"), "\(payload.name)")
      }
    }

    @Test func `requests of ordinary clients are accepted`() throws {
      let server = try startServer()
      let client = try RawClient(port: server.port)
      for fields in [
        "", "User-Agent: curl/8.5.0\r\nAccept: */*\r\n", "X-Empty:\r\n", "X-Tight:a\r\n",
        "X-Wide: \t a \t\r\n",
        "Cookie: a=b; c=d\r\nAccept-Encoding: gzip, br;q=0.5\r\n", "Content-Length: 0\r\n",
        "X-A: caf\u{E9}\r\n",
        "Range: bytes=0-9\r\nIf-Range: \"x\"\r\n", "Connection: keep-alive\r\n",
      ] {
        #expect(try client.get("/a/b-c_d~e.f%20g?x=1&y=%2F", extra: fields).status == 200, "\(fields)")
      }
      client.send("\r\nGET /after/an/empty/line HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().status == 200)
      client.send("GET /old HTTP/1.0\r\n\r\n")
      #expect(try client.response().status == 200)
      #expect(client.isEndedByServer())
    }

    @Test func `a request cut at any byte leaves nothing behind`() throws {
      let before = try openDescriptors()
      let server = try startServer()
      let head = Array("GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n\r\n".utf8)
      for length in head.indices {
        try RawClient(port: server.port).send(head.prefix(length))
        #expect(try RawClient(port: server.port).get("/").status == 200)
      }
      server.stop()
      try waitUntil("all descriptors are closed") { try openDescriptors() == before }
    }
  }
}
