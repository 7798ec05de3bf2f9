import Foundation
import SeedHTTP
import Testing

extension SocketTests {
  /// Bytes by which one request could pass for two, or reach what is not published.
  @Suite struct Hostile {
    struct Payload: Sendable, CustomTestStringConvertible {
      let name: String
      let bytes: [UInt8]
      var testDescription: String { name }

      init(_ name: String, _ text: String) {
        self.name = name
        bytes = Array(text.utf8)
      }
    }

    static func request(_ name: String, target: String = "/a", _ fields: String = "", tail: String = "")
      -> Payload
    {
      Payload(name, "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\(tail)")
    }

    /// A second request in the place of a body: whoever answers it has been fooled.
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

    static let framings: [Payload] = [
      request("two Hosts", "Host: other\r\n"),
      request(
        "length and chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        tail: "0\r\n\r\n" + smuggled),
      request(
        "chunked and length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        tail: "0\r\n\r\n" + smuggled),
      request("two lengths", "Content-Length: 0\r\nContent-Length: 5\r\n", tail: smuggled),
      request("two lengths, larger first", "Content-Length: 5\r\nContent-Length: 0\r\n", tail: smuggled),
      request("a list of lengths", "Content-Length: 0, 0\r\n", tail: smuggled),
      request("a negative length", "Content-Length: -1\r\n", tail: smuggled),
      request("a signed length", "Content-Length: +0\r\n", tail: smuggled),
      request("a huge length", "Content-Length: 99999999999999999999\r\n", tail: smuggled),
      request("a body", "Content-Length: \(smuggled.utf8.count)\r\n", tail: smuggled),
      request("chunked", "Transfer-Encoding: chunked\r\n", tail: "0\r\n\r\n" + smuggled),
      request(
        "chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", tail: "0\r\n\r\n"),
      request("an unknown transfer encoding", "Transfer-Encoding: xchunked\r\n", tail: smuggled),
      request("a space before the colon", "Transfer-Encoding : chunked\r\n", tail: "0\r\n\r\n" + smuggled),
      request("a tab before the colon", "Content-Length\t: 5\r\n", tail: smuggled),
      request("a folded field", "X-A: b\r\n c\r\n", tail: smuggled),
      request("a folded transfer encoding", "Transfer-Encoding:\r\n chunked\r\n", tail: smuggled),
      request("a folded length", "Content-Length:\r\n\t5\r\n", tail: smuggled),
      request("a bare line feed", "X-A: b\nX-C: d\r\n", tail: smuggled),
      request("a bare carriage return", "X-A: b\rContent-Length: 5\r\n", tail: smuggled),
      request("a control character in a name", "X\u{1}A: b\r\n"),
      request("a control character in a value", "X-A: b\u{1}c\r\n"),
      request("a NUL in a name", "X\u{0}A: b\r\n"),
      request("a NUL in a value", "X-A: b\u{0}c\r\n"),
      request("a NUL that ends a value", "X-A: b\u{0}\r\n"),
      request("a NUL in the length", "Content-Length: 0\u{0}5\r\n", tail: smuggled),
      request("a field without a name", ": b\r\n"),
      request("a field without a colon", "X-A\r\n"),
      request("65 fields", (0..<65).map { "X-\($0): a\r\n" }.joined()),
      request("2000 fields", (0..<2000).map { "X-\($0): a\r\n" }.joined()),
      request("a field of 40 kB", "X-A: \(String(repeating: "a", count: 40_000))\r\n"),
      Payload(
        "chunked in HTTP/1.0", "GET /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled),
      Payload("no Host", "GET /a HTTP/1.1\r\n\r\n"),
      Payload("a Host with a path", "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n"),
      Payload("a folded first field", "GET /a HTTP/1.1\r\n Host: localhost\r\nHost: a\r\n\r\n"),
    ]

    static let lines: [Payload] = [
      request("a NUL in the path", target: "/a\u{0}b"),
      request("a NUL in the query", target: "/a?b\u{0}c"),
      request("an escaped NUL", target: "/a%00b"),
      request("a climbing path", target: "/../etc/passwd"),
      request("an escaped climbing path", target: "/%2e%2e%2fetc/passwd"),
      request("two slashes", target: "//a"),
      request("a backslash", target: "/a\\b"),
      request("an absolute target", target: "http://localhost/a"),
      request("an asterisk", target: "*"),
      request("a target of 40 kB", target: "/" + String(repeating: "a", count: 40_000)),
      request("a space in the path", target: "/a b"),
      request("two spaces after the method", target: " /a"),
      request("an authority", target: "localhost:80"),
      request("letters beyond ASCII", target: "/\u{E9}"),
      Payload("a method in lower case", "get /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      Payload("a NUL in the method", "GET\u{0} /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      Payload("CONNECT", "CONNECT /a HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled),
      Payload("a POST with a body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 45\r\n\r\n" + smuggled),
      Payload("a POST without one", "POST /a HTTP/1.1\r\nHost: a\r\n\r\n"),
      Payload("HTTP/0.9", "GET /a\r\n\r\n"),
      Payload("HTTP/1.2", "GET /a HTTP/1.2\r\nHost: a\r\n\r\n"),
      Payload("HTTP/2.0", "GET /a HTTP/2.0\r\nHost: a\r\n\r\n"),
      Payload("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      Payload("a space after the version", "GET /a HTTP/1.1 \r\nHost: a\r\n\r\n"),
      Payload("a lower-case version", "GET /a http/1.1\r\nHost: a\r\n\r\n"),
      Payload("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}\r\n\r\n"),
      Payload("junk", String(repeating: "\u{1}%s%n/..\\\u{0}", count: 200) + "\r\n\r\n"),
      Payload("a line without end", String(repeating: "A", count: 100_000)),
    ]

    /// Refused by libmicrohttpd 0.9.75 itself before the guard can see them, in one response whose header block
    /// stands there twice; mended in 1.0.
    static let headTwice = ["a list of lengths", "a negative length", "a signed length", "a huge length"]

    /// How often a status line stands at the start of a response.
    static func responses(in bytes: [UInt8]) -> [Int] {
      let text = String(decoding: bytes, as: UTF8.self)
      return text.matches(of: #/HTTP/1\.1 (\d{3}) /#).compactMap { Int($0.output.1) }
    }

    @Test func `no broken framing is answered with success, or twice, or hurts the next client`() throws {
      let server = try startServer()
      for payload in Self.framings + Self.lines {
        let client = try RawClient(port: server.port)
        client.send(payload.bytes)
        let answer = client.readToEnd()
        let statuses = Self.responses(in: answer)
        let most = Self.headTwice.contains(payload.name) ? 2 : 1
        #expect(statuses.count <= most && Set(statuses).count <= 1, "\(payload.name): \(statuses)")
        #expect(statuses.allSatisfy { $0 >= 400 }, "\(payload.name): \(statuses)")
        #expect(!String(decoding: answer, as: UTF8.self).contains("smuggled"), "\(payload.name)")
        #expect(try RawClient(port: server.port).get("/alive").status == 200, "after \(payload.name)")
      }
    }

    @Test func `what the guard refuses is answered once with a problem and the connection ends`() throws {
      let server = try startServer()
      let examples: [(Payload, Int)] = [
        (Self.framings[0], 400), (Self.framings[3], 400), (Self.lines[0], 400), (Self.lines[14], 405),
        (Self.lines[20], 505),
      ]
      for (payload, status) in examples {
        let client = try RawClient(port: server.port)
        client.send(payload.bytes)
        let response = try client.response()
        #expect(response.status == status, "\(payload.name)")
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(response["Connection"] == "close")
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(client.readToEnd().isEmpty)
      }
    }

    @Test func `ordinary clients' heads are admitted`() throws {
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

    @Test func `a head cut off at any byte leaves nothing behind`() throws {
      let before = try openDescriptors()
      let server = try startServer()
      let head = Array("GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n\r\n".utf8)
      for length in head.indices {
        try RawClient(port: server.port).send(head.prefix(length))
        #expect(try RawClient(port: server.port).get("/").status == 200)
      }
      server.stop()
      #expect(try openDescriptors() == before)
    }
  }
}
