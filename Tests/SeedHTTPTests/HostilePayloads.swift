extension SocketTests.Hostile {
  /// Bytes that no server should accept as a request, or as more than one.
  struct Payload: Sendable {
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
  }

  /// A second request inside a body. A server that answers it was deceived.
  static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

  static let all =
    lengths + unreadableLengths + codings + chunks + folds + lineEnds + fields + hosts + targets + escapes
    + lines + versions

  static func request(
    _ name: String, target: String = "/a", _ fields: String = "", tail: String = ""
  ) -> Payload {
    Payload(name, "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\(tail)")
  }

  private static let chunk = "0\r\n\r\n"

  /// Attacks by `Content-Length` alone: CL.CL, and numbers that parsers read differently.
  static let lengths: [Payload] = [
    request("a body", "Content-Length: \(smuggled.utf8.count)\r\n", tail: smuggled),
    request("two lengths", "Content-Length: 0\r\nContent-Length: 5\r\n", tail: smuggled),
    request("two lengths, larger first", "Content-Length: 5\r\nContent-Length: 0\r\n", tail: smuggled),
    request("the same length twice", "Content-Length: 0\r\nContent-Length: 0\r\n", tail: smuggled),
    request("two lengths in two cases", "content-length: 0\r\nCONTENT-LENGTH: 44\r\n", tail: smuggled),
    request("a length with a leading zero", "Content-Length: 00\r\n", tail: smuggled),
    request("a NUL in the length", "Content-Length: 0\u{0}5\r\n", tail: smuggled),
    Payload(
      "a body in HTTP/1.0 with keep-alive",
      "GET /a HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n" + smuggled),
    Payload("a body of HEAD", "HEAD /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde" + smuggled),
    Payload("a body of OPTIONS", "OPTIONS /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n" + smuggled),
    Payload("a POST with a body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 45\r\n\r\n" + smuggled),
    Payload("a POST without one", "POST /a HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    request("a body after a word", "Expect: 100-continue\r\nContent-Length: 5\r\n", tail: smuggled),
    request("an upgrade with a body", "Upgrade: h2c\r\nContent-Length: 5\r\n", tail: smuggled),
  ]

  /// Lengths that libmicrohttpd 0.9.75 cannot read. It answers them with two status lines, the second in the body
  /// of the first.
  static let unreadableLengths: [Payload] = [
    request("a list of lengths", "Content-Length: 0, 0\r\n", tail: smuggled),
    request("a length with a comma", "Content-Length: 0,\r\n", tail: smuggled),
    request("a length with a parameter", "Content-Length: 0;5\r\n", tail: smuggled),
    request("a length with a space", "Content-Length: 0 5\r\n", tail: smuggled),
    request("a negative length", "Content-Length: -1\r\n", tail: smuggled),
    request("a signed length", "Content-Length: +0\r\n", tail: smuggled),
    request("a hexadecimal length", "Content-Length: 0x0\r\n", tail: smuggled),
    request("a fractional length", "Content-Length: 0.0\r\n", tail: smuggled),
    request("an empty length", "Content-Length:\r\n", tail: smuggled),
    request("a length in words", "Content-Length: zero\r\n", tail: smuggled),
    request("a huge length", "Content-Length: 99999999999999999999\r\n", tail: smuggled),
    request("a length that wraps to nothing", "Content-Length: 18446744073709551616\r\n", tail: smuggled),
  ]

  /// Attacks by `Transfer-Encoding`: CL.TE, TE.CL, TE.TE and names that only one parser knows.
  static let codings: [Payload] = [
    request(
      "length and chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", tail: chunk + smuggled),
    request(
      "chunked and length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", tail: chunk + smuggled),
    request(
      "no length and chunked", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", tail: chunk + smuggled),
    request("chunked", "Transfer-Encoding: chunked\r\n", tail: chunk + smuggled),
    request(
      "chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", tail: chunk),
    request(
      "chunked, then identity", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      tail: chunk + smuggled),
    request("an unknown transfer encoding", "Transfer-Encoding: xchunked\r\n", tail: smuggled),
    request("identity", "Transfer-Encoding: identity\r\n", tail: smuggled),
    request("gzip and chunked", "Transfer-Encoding: gzip, chunked\r\n", tail: chunk + smuggled),
    request("chunked and identity", "Transfer-Encoding: chunked, identity\r\n", tail: chunk + smuggled),
    request("chunked with a comma", "Transfer-Encoding: chunked,\r\n", tail: chunk + smuggled),
    request("chunked in quotes", "Transfer-Encoding: \"chunked\"\r\n", tail: chunk + smuggled),
    request("chunked in capitals", "TRANSFER-ENCODING: CHUNKED\r\n", tail: chunk + smuggled),
    request("chunked after a tab", "Transfer-Encoding:\tchunked\r\n", tail: chunk + smuggled),
    request(
      "chunked after a vertical tab", "Transfer-Encoding: \u{B}chunked\r\n", tail: chunk + smuggled),
    request("an empty transfer encoding", "Transfer-Encoding:\r\n", tail: smuggled),
    request("a space before the colon", "Transfer-Encoding : chunked\r\n", tail: chunk + smuggled),
    request("a tab before the colon", "Content-Length\t: 5\r\n", tail: smuggled),
    request("a space in the name", "Transfer Encoding: chunked\r\n", tail: chunk + smuggled),
    Payload(
      "chunked in HTTP/1.0", "GET /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + smuggled),
    Payload(
      "chunked in HTTP/1.0 with keep-alive",
      "GET /a HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + smuggled),
  ]

  /// Chunks that two parsers end at different places, after GET and after POST.
  static let chunks: [Payload] = [
    ("with an extension", "0;a=b\r\n\r\n"), ("with a quoted extension", "0;a=\"\r\n\r\n\"\r\n\r\n"),
    ("with a long extension", "0;" + String(repeating: "a", count: 5_000) + "\r\n\r\n"),
    ("with a bare line feed", "0\n\n"), ("with a line feed in an extension", "0;a\nb\r\n\r\n"),
    ("of a hexadecimal size", "0x0\r\n\r\n"), ("of a negative size", "-1\r\n\r\n"),
    ("of a signed size", "+0\r\n\r\n"), ("of a huge size", "FFFFFFFFFFFFFFFFF\r\n"),
    ("of a size that wraps", "10000000000000000\r\n\r\n"), ("of a spaced size", " 0 \r\n\r\n"),
    ("without a size", "\r\n\r\n"), ("without its end", "5\r\nabcde0\r\n\r\n"),
    ("longer than its size", "1\r\nabcde\r\n0\r\n\r\n"), ("with a trailer", "0\r\nHost: other\r\n\r\n"),
    ("with a trailer of a length", "0\r\nContent-Length: 44\r\n\r\n"),
  ].flatMap { name, body in
    ["GET", "POST"].map { method in
      Payload(
        "\(method) of a chunk \(name)",
        "\(method) /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)\(smuggled)")
    }
  }

  static let folds: [Payload] = [
    request("a folded field", "X-A: b\r\n c\r\n", tail: smuggled),
    request("a field folded by a tab", "X-A: b\r\n\tc\r\n", tail: smuggled),
    request("a folded transfer encoding", "Transfer-Encoding:\r\n chunked\r\n", tail: smuggled),
    request("a transfer encoding in two parts", "Transfer-Encoding: chun\r\n ked\r\n", tail: smuggled),
    request("a folded length", "Content-Length:\r\n\t5\r\n", tail: smuggled),
    request("a length that goes on", "Content-Length: 0\r\n 5\r\n", tail: smuggled),
    request("a fold of nothing but spaces", "X-A: b\r\n  \r\n", tail: smuggled),
    Payload("a folded first field", "GET /a HTTP/1.1\r\n Host: localhost\r\nHost: a\r\n\r\n"),
    Payload("a folded Host", "GET /a HTTP/1.1\r\nHost:\r\n localhost\r\n\r\n"),
  ]

  static let lineEnds: [Payload] = [
    request("a bare line feed", "X-A: b\nX-C: d\r\n", tail: smuggled),
    request("a bare line feed before a length", "X-A: b\nContent-Length: 5\r\n", tail: smuggled),
    request("a bare carriage return", "X-A: b\rContent-Length: 5\r\n", tail: smuggled),
    request("two carriage returns", "X-A: b\r\r\n", tail: smuggled),
    Payload("line feeds only", "GET /a HTTP/1.1\nHost: a\n\n" + smuggled),
    Payload("carriage returns only", "GET /a HTTP/1.1\rHost: a\r\r"),
    Payload("a first line ended by a line feed", "GET /a HTTP/1.1\nHost: a\r\n\r\n" + smuggled),
    Payload("a last line ended by a line feed", "GET /a HTTP/1.1\r\nHost: a\r\n\n" + smuggled),
    Payload("a first line ended by two returns", "GET /a HTTP/1.1\r\r\nHost: a\r\n\r\n" + smuggled),
  ]

  static let fields: [Payload] = [
    request("a control character in a name", "X\u{1}A: b\r\n"),
    request("a control character in a value", "X-A: b\u{1}c\r\n"),
    request("a delete character in a value", "X-A: b\u{7F}c\r\n"),
    request("an escape character in a value", "X-A: \u{1B}[31m\r\n"),
    request("a NUL in a name", "X\u{0}A: b\r\n"),
    request("a NUL in a value", "X-A: b\u{0}c\r\n"),
    request("a NUL that ends a value", "X-A: b\u{0}\r\n"),
    request("a NUL that ends a name", "X-A\u{0}: b\r\n"),
    request("a field without a name", ": b\r\n"),
    request("a field without a colon", "X-A\r\n"),
    request("a transfer encoding without a name", ": chunked\r\n", tail: chunk + smuggled),
    request("a name in quotes", "\"X-A\": b\r\n"),
    request("a name in brackets", "(X-A): b\r\n"),
    request("a name beyond ASCII", "X-\u{E9}: b\r\n"),
    request("65 fields", (0..<65).map { "X-\($0): a\r\n" }.joined()),
    request("2000 fields", (0..<2000).map { "X-\($0): a\r\n" }.joined()),
    request("a field of 40 kB", "X-A: \(String(repeating: "a", count: 40_000))\r\n"),
    request("a name of 40 kB", "\(String(repeating: "a", count: 40_000)): a\r\n"),
  ]

  static let hosts: [Payload] =
    [
      Payload("no Host", "GET /a HTTP/1.1\r\n\r\n" + smuggled),
      request("two Hosts", "Host: other\r\n"),
      request("the same Host twice", "Host: localhost\r\n"),
      request("two Hosts in two cases", "hOST: localhost\r\n"),
      Payload("two Hosts in HTTP/1.0", "GET /a HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
      Payload("an absolute target without a Host", "GET http://localhost/a HTTP/1.1\r\n\r\n"),
    ]
    + [
      "a/b", "a b", "user@a", "a,b", "a?b", "a#b", "a\u{0}b", "a%00b", "\u{E9}", "a\\b", "<a>", "a;b",
      "*",
    ].map { Payload("the Host \($0.debugDescription)", "GET /a HTTP/1.1\r\nHost: \($0)\r\n\r\n" + smuggled) }

  static let targets: [Payload] = [
    request("a NUL in the path", target: "/a\u{0}b"),
    request("a NUL in the query", target: "/a?b\u{0}c"),
    request("a climbing path", target: "/../etc/passwd"),
    request("a path that climbs at its end", target: "/a/.."),
    request("two slashes", target: "//a"),
    request("two slashes within", target: "/a//b"),
    request("a backslash", target: "/a\\b"),
    request("an absolute target that climbs", target: "http://localhost/../a"),
    request("an absolute target with user information", target: "http://a@localhost/a"),
    request("an absolute target of nobody", target: "http:///a"),
    request("an absolute target of another scheme", target: "file://localhost/a"),
    request("an asterisk", target: "*"),
    request("a target of 40 kB", target: "/" + String(repeating: "a", count: 40_000)),
    request("a query of 40 kB", target: "/a?" + String(repeating: "a", count: 40_000)),
    request("a space in the path", target: "/a b"),
    request("two spaces after the method", target: " /a"),
    request("two spaces after the target", target: "/a "),
    request("an authority", target: "localhost:80"),
    request("no slash", target: "a"),
    request("a fragment", target: "/a#b"),
    request("a fragment behind the query", target: "/a?b#c"),
    request("a semicolon", target: "/a;b"),
    request("letters beyond ASCII", target: "/\u{E9}"),
    request("letters beyond ASCII in the query", target: "/a?\u{E9}"),
    request("a tab in the query", target: "/a?b\tc"),
    request("braces", target: "/{a}"),
    request("quotes", target: "/\"a\""),
  ]

  static let escapes: [Payload] = [
    "%", "%2", "%zz", "%00", "%2f", "%2F..", "%5c", "%2e", "%2e%2e%2fetc/passwd", "%0d%0aX:%20y", "%0A",
    "%7f",
    "%u002e", "%%32%65", "a%", "%1b",
  ].map { request("the escape \($0)", target: "/\($0)", tail: smuggled) }

  static let lines: [Payload] = [
    Payload("a method in lower case", "get /a HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled),
    Payload("a NUL in the method", "GET\u{0} /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Payload("a method with a bracket", "GE(T /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Payload("a method of 10 kB", String(repeating: "A", count: 10_000) + " /a HTTP/1.1\r\nHost: a\r\n\r\n"),
    Payload("no method", " /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Payload("a space before the method", " GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Payload("tabs between the parts", "GET\t/a\tHTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Payload("CONNECT", "CONNECT /a HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled),
    Payload("CONNECT to an authority", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n" + smuggled),
    Payload("TRACE", "TRACE /a HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled),
    Payload(
      "a TLS greeting", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03, 0x0D, 0x0A]),
    Payload("junk", String(repeating: "\u{1}%s%n/..\\\u{0}", count: 200) + "\r\n\r\n"),
    Payload("a line without end", String(repeating: "A", count: 100_000)),
    Payload("all bytes there are", Array(0...UInt8.max) + Array("\r\n\r\n".utf8)),
  ]

  static let versions: [Payload] =
    [
      "HTTP/1.2", "HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/1.10", "HTTP/01.1", "HTTP/1", "HTTP/1.1.1",
      "HTTP/11",
      "HTTP/1,1", "HTP/1.1", "http/1.1", "HTTP/1.1 ", "HTTP/1.1\t", "HTTP/1.1\u{0}", "HTTP/-1.1", "X",
    ].map { Payload("the version \($0.debugDescription)", "GET /a \($0)\r\nHost: a\r\n\r\n" + smuggled) }
    + [
      Payload("HTTP/0.9", "GET /a\r\n\r\n"),
      Payload("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + smuggled),
    ]
}
