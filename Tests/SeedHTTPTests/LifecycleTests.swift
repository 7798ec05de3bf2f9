import Foundation
import SeedHTTP
import SeedSystem
import Support
import Testing

import struct Synchronization.Atomic

extension SocketTests {
  @Suite struct Lifecycle {
    @Test func `a port in use and an invalid or foreign host are reported in the error`() throws {
      let server = try startServer()
      let error = #expect(throws: HTTPServerError.self) { try startServer { $0.port = server.port } }
      #expect(error == .portInUse(host: "127.0.0.1", port: server.port))
      #expect(error?.description.contains("127.0.0.1") == true)
      #expect(error?.description.contains(String(server.port)) == true)
      for host in ["localhost", "", "192.0.2.1", "1.2.3"] {
        let error = #expect(throws: HTTPServerError.self) { try startServer { $0.host = host } }
        guard case .cannotListen(host, 0, _) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
    }

    @Test func `a port is free after stop, which can be called concurrently and repeatedly`() throws {
      let first = try startServer()
      let client = try RawClient(port: first.port)
      #expect(try client.get("/").status == 200)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in first.stop() }
      #expect(throws: RawClient.Failure.self) { try RawClient(port: first.port) }
      first.stop()
      #expect(throws: RawClient.Failure.self) { try RawClient(port: first.port) }
      let second = try startServer { $0.port = first.port }
      #expect(try RawClient(port: second.port).get("/").status == 200)
    }

    @Test func `stop lets a running response finish and rejects new connections`() throws {
      let (entered, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let server = try serve { request in
        guard request.path == "/slow" else { return HTTPResponse(status: 200) }
        entered.signal()
        _ = released.wait(timeout: .now() + longestWait)
        return HTTPResponse(status: 200, body: .bytes(Array(repeating: 7, count: 3_000_000)))
      }
      let slow = try RawClient(port: server.port)
      slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(entered.wait(timeout: .now() + longestWait) == .success)
      let stopped = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        server.stop(gracePeriod: .seconds(60))
        stopped.signal()
      }
      while let late = try? RawClient(port: server.port), (try? late.get("/late")) != nil {}
      released.signal()
      let response = try slow.response()
      #expect(response.status == 200)
      #expect(response.body.count == 3_000_000)
      #expect(response["Connection"] == "close")
      #expect(stopped.wait(timeout: .now() + longestWait) == .success)
      #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
    }

    @Test func `stop does not wait for idle connections`() throws {
      let server = try startServer()
      let idle = try RawClient(port: server.port)
      #expect(try idle.get("/").status == 200)
      let half = try RawClient(port: server.port)
      half.send("GET / HTTP/1.1\r\nHost:")
      // If it waited for them, this test would exceed the suite's time limit.
      server.stop(gracePeriod: .seconds(3600))
      #expect(idle.isEndedByServer())
      #expect(half.isEndedByServer())
    }

    @Test func `a draining server answers all requests and closes each connection`() throws {
      let server = try startServer()
      let kept = try RawClient(port: server.port)
      #expect(try kept.get("/")["Connection"] == nil)
      server.drain()
      #expect(try kept.get("/")["Connection"] == "close")
      #expect(kept.isEndedByServer())
      let fresh = try RawClient(port: server.port)
      #expect(try fresh.get("/")["Connection"] == "close")
      #expect(fresh.isEndedByServer())
      server.stop()
      #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
    }

    @Test func `stopping under load answers or closes every request`() throws {
      for _ in 0..<Stage.pick(quick: 3, full: 10, deep: 10) {
        let server = try startServer { $0.connectionLimit = 6 }
        let (group, started) = (DispatchGroup(), DispatchSemaphore(value: 0))
        for _ in 0..<8 {
          group.enter()
          Thread.detachNewThread { [port = server.port] in
            defer { group.leave() }
            started.signal()
            while let client = try? RawClient(port: port) {
              while let response = try? client.get("/"), response["Connection"] == nil {}
            }
          }
        }
        for _ in 0..<8 { #expect(started.wait(timeout: .now() + longestWait) == .success) }
        #expect(throws: Never.self) { try RawClient(port: server.port) }
        server.stop()
        #expect(group.wait(timeout: .now() + longestWait) == .success)
      }
    }

    @Test func `releasing the last reference stops the server`() throws {
      var server: HTTPServer? = try startServer()
      let port = try #require(server?.port)
      #expect(try RawClient(port: port).get("/").status == 200)
      server = nil
      #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }

    @Test func `one thread and one connection are enough`() throws {
      let server = try startServer { ($0.threads, $0.connectionLimit) = (1, 1) }
      for _ in 0..<3 { #expect(try RawClient(port: server.port).get("/").status == 200) }
    }

    @Test func `many starts and stops leak no descriptor, request or thread`() throws {
      let live = Counter()
      try runOnce(live)
      let before = try openDescriptors()
      for _ in 0..<Stage.pick(quick: 5, full: 20, deep: 20) { try runOnce(live) }
      try waitUntil("all descriptors are closed") { try openDescriptors() == before }
      #expect(live.count.load(ordering: .relaxed) == 0)
    }

    private func runOnce(_ live: Counter) throws {
      let owned = Owned(live)
      let server = try serve { _ in
        withExtendedLifetime(owned) { HTTPResponse(status: 200) }
      }
      #expect(try RawClient(port: server.port).get("/").status == 200)
      let half = try RawClient(port: server.port)
      half.send("GET /half HTTP/1.1\r\n")
      server.stop(gracePeriod: .zero)
    }
  }

  /// The number of living ``Owned`` objects.
  final class Counter: Sendable { let count = Atomic(0) }

  /// An object captured by a handler, which must be released.
  final class Owned: Sendable {
    private let counter: Counter

    init(_ counter: Counter) {
      self.counter = counter
      counter.count.add(1, ordering: .relaxed)
    }

    deinit { counter.count.subtract(1, ordering: .relaxed) }
  }
}
