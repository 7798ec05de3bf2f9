import Foundation
import SeedSystem
import Support
import Testing

@Suite struct FlatMemoryTests {
  private static let requests = Stage.isDeep ? 1_000_000 : 60_000
  /// Requests after which the process has allocated its caches.
  private static let warmUp = requests / 5
  private static let threads = 4
  /// Less than the server allows for one connection.
  private static let requestsPerConnection = 5_000
  private static let pipelined = 50
  /// Allowance for cached responses and the allocator's arenas.
  private static let slackBytes = 4 * 1024 * 1024

  @Test(.full) func `memory does not grow with the number of requests`() throws {
    let road = try DemoRoad(seed: 91, trips: 50)
    let server = try RunningSeedbank(["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    let requests = try Self.kinds(server.port)
    try Self.send(Self.warmUp, requests, to: server.port)
    let before = try Self.residentBytes(server.identifier)
    try Self.send(Self.requests - Self.warmUp, requests, to: server.port)
    let after = try Self.residentBytes(server.identifier)
    #expect(after <= before + before / 10 + Self.slackBytes, "\(before) before, \(after) after")
    if Stage.isDeep { print("\(Self.requests) requests: \(before) bytes before, \(after) after") }
  }

  private struct Exchange: Sendable {
    let request: String
    let answerBytes: Int
  }

  /// Returns requests for cached responses, computed responses, ranges and errors.
  private static func kinds(_ port: UInt16) throws -> [Exchange] {
    let object = try #require(RawClient(port: port).get("/v1/transit/snapshot?model=2.1")["Location"])
    return try [
      ("GET", "/v1", ""), ("GET", "/metadata/timestamp.json", ""), ("HEAD", object, ""),
      ("GET", "/v1/transit/changes?model=2.1&since=1", "Accept-Encoding: gzip\r\n"),
      ("GET", "/v1/transit/changes?model=2.1&since=1", ""), ("GET", object, "Range: bytes=100-199\r\n"),
      ("GET", "/nothing", ""), ("GET", "/v1/transit", "If-None-Match: *\r\n"),
    ].map { method, target, fields in
      let head = "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)"
      let client = try RawClient(port: port)
      client.send("\(head)Connection: close\r\n\r\n")
      let ending = "Connection: close\r\n".utf8.count
      return Exchange(request: head + "\r\n", answerBytes: client.readToEnd().count - ending)
    }
  }

  private static func send(_ count: Int, _ kinds: [Exchange], to port: UInt16) throws {
    let failure = Mutex<String?>(nil)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      do {
        try send(count / threads, kinds, from: thread, to: port)
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
    }
    #expect(failure.withLock { $0 } == nil)
  }

  private static func send(_ count: Int, _ kinds: [Exchange], from thread: Int, to port: UInt16) throws {
    var client = try RawClient(port: port)
    var sent = 0
    for batch in 0..<(count / pipelined) {
      let kind = kinds[(batch + thread) % kinds.count]
      client.send(String(repeating: kind.request, count: pipelined))
      try client.skip(kind.answerBytes * pipelined)
      sent += pipelined
      if sent % requestsPerConnection == 0 { client = try RawClient(port: port) }
    }
  }

  private static func residentBytes(_ process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return 1024 * (line.split(separator: " ").compactMap { Int($0) }.first ?? 0)
  }
}
