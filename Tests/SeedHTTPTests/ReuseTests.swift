import Foundation
import SeedSystem
import Support
import Testing

import struct Synchronization.Atomic

@testable import SeedHTTP

extension SocketTests {
  /// Responses that are reused without calling the handler.
  @Suite struct Reuse {
    /// A handler that counts its requests and answers with the count.
    final class Asked: Sendable {
      let count = Atomic(0)

      func answer(_ request: HTTPRequest) -> HTTPResponse {
        let number = count.add(1, ordering: .relaxed).newValue
        var response = HTTPResponse(
          status: 200, headers: ["ETag": "\"\(number)\""],
          body: .bytes(Array("\(number) \(request.path)".utf8)))
        response.isReusable = request.path.hasPrefix("/kept")
        response.mark = 7
        return response
      }
    }

    final class Measurements: Sendable {
      private let state = Mutex<[HTTPMeasurement]>([])

      var all: [HTTPMeasurement] { state.withLock { $0 } }

      func add(_ measurement: HTTPMeasurement) { state.withLock { $0.append(measurement) } }
    }

    @Test func `a reusable response is made once until the cache is cleared, any other each time`() throws {
      let asked = Asked()
      let server = try serve(asked.answer)
      let client = try RawClient(port: server.port)
      for _ in 0..<3 { #expect(try client.get("/kept").body == Array("1 /kept".utf8)) }
      #expect(try RawClient(port: server.port).get("/kept").body == Array("1 /kept".utf8))
      #expect(try client.get("/kept?x").body == Array("2 /kept".utf8))
      server.forgetResponses()
      #expect(try client.get("/kept").body == Array("3 /kept".utf8))
      for number in 4...6 { #expect(try client.get("/other").body == Array("\(number) /other".utf8)) }
    }

    @Test func `a kept 304 answers only its own tag, and not longer than its response is kept`() throws {
      let asked = Asked()
      let server = try serve(asked.answer)
      let client = try RawClient(port: server.port)
      func status(_ fields: String..., method: String = "GET") throws -> Int {
        client.send("\(method) /kept HTTP/1.1\r\nHost: a\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n")
        return try client.response(hasBody: false).status
      }
      for _ in 0..<3 {
        #expect(try status("If-None-Match: \"1\"") == 304)
        #expect(try status("If-None-Match: \"1\"", method: "HEAD") == 304)
        #expect(try status("If-None-Match: \"1\"", "If-Match: \"2\"", method: "HEAD") == 412)
        #expect(try status("If-Match: \"2\"", "If-None-Match: \"1\"", method: "HEAD") == 412)
        for other in ["\"2\"", "\"1", ""] {
          #expect(try status("If-None-Match: \(other)", method: "HEAD") == 200, "\(other)")
        }
        for same in ["*", "W/\"1\"", "\"1\", \"2\""] { #expect(try status("If-None-Match: \(same)") == 304) }
        #expect(try client.get("/kept").body == Array("1 /kept".utf8))
      }
      #expect(asked.count.load(ordering: .relaxed) == 1)
      server.forgetResponses()
      #expect(try status("If-None-Match: \"1\"", method: "HEAD") == 200)
      #expect(try status("If-None-Match: \"2\"") == 304)
    }

    @Test func `HEAD and a target in absolute form get the reused response`() throws {
      let asked = Asked()
      let server = try serve(asked.answer)
      let client = try RawClient(port: server.port)
      let get = try client.get("http://seeds.example:80/kept")
      let head = try client.get("/kept", method: "HEAD")
      #expect(head.status == 200 && head["ETag"] == get["ETag"] && head["Content-Length"] == "7")
      for target in ["/kept", "HTTPS://other/kept"] {
        #expect(try client.get(target).body == Array("1 /kept".utf8), "\(target)")
      }
      #expect(asked.count.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: [
      "If-None-Match: \"x\"", "if-modified-since: now", "Range: bytes=0-1", "IF-RANGE: \"x\"",
    ])
    func `a condition that does not match gets the reused response`(field: String) throws {
      let asked = Asked()
      let server = try serve(asked.answer)
      let client = try RawClient(port: server.port)
      _ = try client.get("/kept")
      #expect(try client.get("/kept", extra: "\(field)\r\n").body == Array("1 /kept".utf8))
      #expect(asked.count.load(ordering: .relaxed) == 1)
    }

    @Test func `conditions apply to the reused response whichever request came first`() throws {
      let asked = Asked()
      let server = try serve(asked.answer)
      let client = try RawClient(port: server.port)
      for _ in 0..<2 {
        let known = try client.get("/kept", extra: "If-None-Match: \"1\"\r\n")
        #expect(known.status == 304 && known["ETag"] == "\"1\"" && known.body.isEmpty)
        let changed = try client.get("/kept", extra: "If-Match: \"2\"\r\n")
        #expect(changed.status == 412 && changed["Content-Type"] == "application/problem+json")
        #expect(try client.get("/kept").body == Array("1 /kept".utf8))
      }
      #expect(asked.count.load(ordering: .relaxed) == 1)
      server.forgetResponses()
      #expect(try client.get("/kept", extra: "If-None-Match: \"1\"\r\n").status == 200)
    }

    @Test func `a reusable stream starts again for each client`() throws {
      final class Ones: HTTPByteStream {
        func next(into room: UnsafeMutableRawBufferPointer) -> Int? {
          guard left > 0 else { return nil }
          let count = min(room.count, left)
          for index in 0..<count { room[index] = 1 }
          left -= count
          return count
        }

        private var left = 300_000
      }
      let server = try serve { _ in
        var response = HTTPResponse(status: 200, body: .stream(length: 300_000) { Ones() })
        response.isReusable = true
        return response
      }
      for _ in 0..<3 { #expect(try RawClient(port: server.port).get("/").body.count == 300_000) }
    }

    @Test func `a response started before the cache was cleared is not kept`() throws {
      let (entered, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let asked = Asked()
      let server = try serve { request in
        let answer = asked.answer(request)
        if answer.headers["ETag"] == "\"1\"" {
          entered.signal()
          _ = released.wait(timeout: .now() + longestWait)
        }
        return answer
      }
      let slow = try RawClient(port: server.port)
      slow.send("GET /kept HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(entered.wait(timeout: .now() + longestWait) == .success)
      server.forgetResponses()
      released.signal()
      #expect(try slow.response().body == Array("1 /kept".utf8))
      #expect(try slow.get("/kept").body == Array("2 /kept".utf8))
    }

    @Test func `more targets than fit the cache are all answered correctly`() throws {
      let server = try serve(Asked().answer)
      let client = try RawClient(port: server.port)
      for _ in 0..<2 {
        for number in 0..<ResponseCache.limit * 5 / 4 {
          let body = String(decoding: try client.get("/kept/\(number)").body, as: UTF8.self)
          #expect(body.hasSuffix(" /kept/\(number)"))
        }
      }
    }

    @Test func `sixteen threads may request and clear concurrently`() throws {
      let server = try serve(Asked().answer)
      DispatchQueue.concurrentPerform(iterations: 16) { thread in
        guard let client = try? RawClient(port: server.port) else { return }
        for number in 0..<50 {
          if number % 10 == thread % 10 { server.forgetResponses() }
          let body = (try? client.get("/kept/\(number % 7)").body).map { String(decoding: $0, as: UTF8.self) }
          #expect(body?.hasSuffix(" /kept/\(number % 7)") == true)
        }
      }
    }

    @Test func `every exchange is measured with its mark`() throws {
      let box = Measurements()
      var configuration = HTTPServerConfiguration()
      configuration.measure = { box.add($0) }
      let server = try HTTPServer(configuration: configuration, handler: Asked().answer)
      let client = try RawClient(port: server.port)
      for _ in 0..<3 { _ = try client.get("/kept") }
      _ = try client.get("/..")
      try waitUntil("all are measured") { box.all.count >= 4 }
      #expect(box.all.map(\.status) == [200, 200, 200, 400])
      #expect(box.all.map { $0.mark as? Int } == [7, 7, 7, nil])
      #expect(box.all[2].bodyBytes == 7)
    }

    @Test func `an exchange starts with its complete header and an incomplete one does not count`()
      throws
    {
      let box = Measurements()
      var configuration = HTTPServerConfiguration()
      configuration.measure = { box.add($0) }
      let server = try HTTPServer(configuration: configuration, handler: Asked().answer)
      let client = try RawClient(port: server.port)
      client.send("GET /kept HTTP/1.1\r\nHost: a\r\n")
      var half: RawClient? = try RawClient(port: server.port)
      half?.send("GET /half HTTP/1.1\r\nHost: a\r\n")
      try waitUntil("both are here") { server.load().connections == 2 }
      // Only waiting shows that time has passed.
      Thread.sleep(forTimeInterval: 0.1)
      half = nil
      try waitUntil("one has gone") { server.load().connections == 1 }
      let completed = monotonicNanoseconds()
      client.send("\r\n")
      #expect(try client.response().status == 200)
      try waitUntil("it is measured") { box.all.count == 1 }
      // Covers the response's time, not the header's.
      #expect(box.all[0].nanoseconds <= monotonicNanoseconds() - completed)
      #expect(box.all.count == 1 && box.all[0].status == 200)
    }
  }
}
