import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedHTTP

/// A rejected connection is in no request log, so it is counted by reason.
@Suite struct RefusalCountTests {
  @Test func `a full server lets clients wait and reports how long it was full`() throws {
    let server = try HTTPServer(configuration: Self.small) { _ in
      HTTPResponse(status: 200, body: .bytes(Array(repeating: 7, count: Self.bytes)))
    }
    let busy = try (2..<Self.small.connectionLimit + 2).map {
      let client = try RawClient(port: server.port, source: "127.0.0.\($0)", receives: 4096)
      client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return client
    }
    try waitUntil("all places are taken") { server.load().fullSeconds > 0 }
    let waiting = try RawClient(port: server.port)
    waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    for client in busy { #expect(try client.response().body.count == Self.bytes) }
    #expect(try waiting.response().status == 200)
    try waitUntil("only one is left") { server.load().connections == 1 }
    // After its response, a connection is idle for a moment and may be closed for another.
    #expect(server.load().refused.keys.allSatisfy { $0 == .crowd })
    let full = server.load().fullSeconds
    #expect(server.load().fullSeconds == full, "it is over")
  }

  private static let bytes = 3_000_000
  private static let small: HTTPServerConfiguration = {
    var configuration = HTTPServerConfiguration()
    (configuration.connectionLimit, configuration.threads) = (4, 2)
    return configuration
  }()

  @Test func `rejections by libmicrohttpd are recognized by its log lines`() {
    let line = "Hit process or system resource limit at 7 connections, temporarily suspending accept()."
    #expect(ConnectionRefusal(logged: line) == .descriptors)
    let head = "Error processing request (HTTP response code is 431 ('Request big')). Closing connection."
    #expect(ConnectionRefusal(logged: head) == .head)
    #expect(ConnectionRefusal(logged: "Failed to send data in request") == nil)
  }
}
