import Foundation
import SeedHTTP
import SeedSystem
import Support
import Testing

import struct Synchronization.Atomic

/// All tests that open sockets, serialized because one of them counts the process's descriptors.
@Suite(.serialized) enum SocketTests {}

extension SocketTests {
  @Suite struct Serving {
    @Test func `a handler gets the request of any method and path and its response is sent`() throws {
      let server = try startServer()
      let client = try RawClient(port: server.port)
      let response = try client.get("/a/b?c=%20d")
      #expect(response.status == 200)
      #expect(String(decoding: response.body, as: UTF8.self) == "GET /a/b c=%20d 127.0.0.1")
      #expect(response["X-Content-Type-Options"] == "nosniff")
      #expect(response["Content-Length"] == String("GET /a/b c=%20d 127.0.0.1".utf8.count))
      #expect(response.values(of: "Date").count == 1)
      #expect(response["Server"] == nil)
      #expect(try client.get("/a", method: "OPTIONS").status == 200)
      let missing = try client.get("/missing")
      #expect(missing.status == 404)
      #expect(missing["Content-Type"] == "application/problem+json")
      let json = try JSONSerialization.jsonObject(with: Data(missing.body)) as? [String: Any]
      #expect(json?["detail"] as? String == "there is \"nothing\"\n")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
    func `curl reports the same resource for HEAD and GET`() throws {
      let server = try serve { _ in
        HTTPResponse(status: 200, headers: ["ETag": "\"a\""], body: .bytes([1, 2, 3]))
      }
      let url = "http://127.0.0.1:\(server.port)/a"
      let head = try curl(["-I", url]).replacing(#/Date: .*/#, with: "")
      let get = try curl(["-o", "/dev/null", "-D", "-", url]).replacing(#/Date: .*/#, with: "")
      #expect(head == get)
      #expect(head.contains("Content-Length: 3\r\n"))
    }

    private func curl(_ arguments: [String]) throws -> String {
      let outcome = try TestProgram.run(
        ["curl", "--silent", "--show-error", "--fail", "--max-time", "20"] + arguments)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output
    }

    @Test(arguments: [("::1", "::1"), ("::", "127.0.0.1")])
    func `an IPv6 address is served and reported, and the unspecified one serves IPv4 as well`(
      host: String, client: String
    ) throws {
      let server = try startServer { $0.host = host }
      let response = try RawClient(port: server.port, host: client).get("/")
      #expect(String(decoding: response.body, as: UTF8.self) == "GET / - \(client)")
    }

    @Test func `an empty body has a length, and a header that cannot be sent becomes an error`() throws {
      let server = try serve { request in
        guard request.path != "/empty" else { return HTTPResponse(status: 200) }
        return HTTPResponse(status: 200, headers: ["X-A": request.path == "/nul" ? "a\u{0}b" : "a\r\nX-B: c"])
      }
      let client = try RawClient(port: server.port)
      let empty = try client.get("/empty")
      #expect(empty.status == 200 && empty["Content-Length"] == "0" && empty.body.isEmpty)
      for target in ["/", "/nul"] {
        let response = try client.get(target)
        #expect(response.status == 500)
        #expect(response["X-B"] == nil)
      }
    }

    @Test func `pipelined requests are answered in order`() throws {
      let server = try startServer()
      let client = try RawClient(port: server.port)
      let count = 100
      client.send((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
      for index in 0..<count {
        #expect(try client.response().body == Array("GET /\(index) - 127.0.0.1".utf8))
      }
    }

    @Test func `sixteen clients with fifty requests each get their own responses`() throws {
      let server = try startServer()
      let right = Counter()
      let group = DispatchGroup()
      for number in 0..<16 {
        group.enter()
        Thread.detachNewThread { [port = server.port] in
          defer { group.leave() }
          guard let client = try? RawClient(port: port) else { return }
          for request in 0..<50 {
            let expected = Array("GET /\(number)/\(request) - 127.0.0.1".utf8)
            guard (try? client.get("/\(number)/\(request)").body) == expected else { return }
            right.count.add(1, ordering: .relaxed)
          }
        }
      }
      #expect(group.wait(timeout: .now() + longestWait) == .success)
      #expect(right.count.load(ordering: .relaxed) == 16 * 50)
    }
  }

  @Suite struct Files {
    private static let size = 2_000_000

    @Test func `a file is served exactly, in whole and in part, even if clients leave or it is deleted`()
      throws
    {
      var random = SplitMix(seed: 7)
      // Few large steps, because unoptimized code needs long for each.
      let bytes = (0..<Self.size / 8).map { _ in random.next() }.withUnsafeBytes { Array($0) }
      try withTemporaryDirectory { directory in
        let url = directory.appending(path: "object")
        try Data(bytes).write(to: url)
        let file = try OpenFile(path: url.path)
        let server = try serve { request in
          let parts = request.path.split(separator: "/").compactMap { Int64($0) }
          let body = parts.count == 2 ? HTTPBody.file(file, offset: parts[0], length: parts[1]) : .file(file)
          return HTTPResponse(status: 200, body: body)
        }
        let client = try RawClient(port: server.port)
        #expect(try client.get("/").body == bytes)
        #expect(try client.get("/", method: "HEAD")["Content-Length"] == String(bytes.count))
        for (offset, length) in [(0, 1), (1_999_999, 1), (234_567, 1_000_001), (2_000_000, 0), (1, 0)] {
          #expect(try client.get("/\(offset)/\(length)").body == Array(bytes[offset..<offset + length]))
        }
        for length in [-1, Int64.max] { #expect(try client.get("/1/\(length)").status == 500) }
        for _ in 0..<50 { try RawClient(port: server.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        try FileManager.default.removeItem(at: url)
        let others = try (0..<8).map { _ in try RawClient(port: server.port) }
        for other in others { other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        for other in others { #expect(try other.response().body == bytes) }
      }
    }

    @Test func `links, directories and pipes are not opened`() throws {
      try withTemporaryDirectory { directory in
        let target = directory.appending(path: "target")
        try Data([1]).write(to: target)
        let link = directory.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let pipe = directory.appending(path: "pipe")
        mkfifo(pipe.path, 0o600)
        for url in [link, directory, pipe, directory.appending(path: "absent")] {
          #expect(throws: FileError.self) { try OpenFile(path: url.path) }
        }
      }
    }
  }
}
