import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedHTTP

/// A refused connection leaves no request in any log: it is counted, with its reason.
@Suite(.bounded) struct RefusalCountTests {
  private func waitFor(_ reason: ConnectionRefusal, _ server: HTTPServer, atLeast count: Int = 1) throws {
    try waitUntil("\(count) are counted as \(reason)") { server.load().refused[reason] ?? 0 >= count }
  }

  @Test func `too many connections of one address`() throws {
    let server = try startServer { $0.perAddressLimit = 2 }
    let kept = try (0..<2).map { _ in try RawClient(port: server.port) }
    for client in kept { #expect(try client.get("/").status == 200) }
    let refused = try (0..<3).map { _ in try RawClient(port: server.port) }
    try waitFor(.address, server, atLeast: refused.count)
    #expect(server.load().refused == [.address: 3])
  }

  @Test func `a client that sends no head, and none that has its answer and rests`() throws {
    let server = try startServer {
      ($0.timeouts.headSeconds, $0.timeouts.idleSeconds, $0.threads) = (1, 4, 1)
    }
    let resting = try RawClient(port: server.port)
    #expect(try resting.get("/").status == 200)
    let silent = try RawClient(port: server.port)
    try waitFor(.timeout, server)
    try waitUntil("both have ended") { server.load().connections == 0 }
    #expect(server.load().refused == [.timeout: 1])
    withExtendedLifetime((resting, silent)) {}
  }

  @Test func `idle connections that make room, and a head that is none`() throws {
    let server = try startServer { ($0.connectionLimit, $0.perAddressLimit, $0.threads) = (16, 100, 1) }
    let clients = try (0..<16).map { _ in
      let client = try RawClient(port: server.port)
      #expect(try client.get("/").status == 200)
      return client
    }
    try waitFor(.crowd, server)
    let broken = try RawClient(port: server.port)
    broken.send("GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
    #expect(try broken.response().status == 400)
    try waitFor(.head, server)
    withExtendedLifetime(clients) {}
  }

  @Test func `what libmicrohttpd refuses by itself is known by its lines`() {
    #expect(
      ConnectionRefusal(logged: "Server reached connection limit. Closing inbound connection.\n") == .full)
    let line = "Hit process or system resource limit at 7 connections, temporarily suspending accept()."
    #expect(ConnectionRefusal(logged: line) == .descriptors)
    #expect(ConnectionRefusal(logged: "Failed to send data in request") == nil)
  }
}
