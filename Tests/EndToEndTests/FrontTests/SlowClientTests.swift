import Foundation
import Support
import Testing

import struct Synchronization.Atomic

/// Clients that hold many connections and hardly progress, in the three ways of slowhttptest: headers, bodies and
/// reading.
@Suite struct SlowClientTests {
  private static let limit = Stage.isDeep ? 1_000 : 100
  /// Connections of another client, one after the other, during an attack.
  private static let probes = Stage.isDeep ? 400 : 20

  enum Attack: String, CaseIterable {
    case heads, bodies, reading
    /// Reads slightly faster than required.
    case crawling

    var reads: Bool { self == .reading || self == .crawling }
  }

  @Test(.full, arguments: Attack.allCases)
  func `one address with nine tenths of all connections keeps no other client out`(attack: Attack) throws {
    try withstand(attack, Self.limit * 9 / 10, from: ["127.0.0.2"])
  }

  @Test(.full, arguments: Attack.allCases)
  func `three addresses with more than all connections keep no other client out`(attack: Attack) throws {
    try withstand(attack, Self.limit * 11 / 10, from: ["127.0.0.2", "127.0.0.3", "127.0.0.4"])
  }

  /// No address exceeds its share, but together they hold all places, and all read fast enough not to be closed.
  @Test(.full, arguments: [4, 20])
  func `many addresses that read just above the minimum rate keep no client out`(addresses: Int) throws {
    try withstand(.crawling, Self.limit * 3, from: (2..<addresses + 2).map { "127.0.0.\($0)" })
  }

  private func withstand(_ attack: Attack, _ connections: Int, from sources: [String]) throws {
    let deployment = try OperatedDeployment()
    try Tool.sqlite(
      deployment.folder("my.sqlite"), "UPDATE shop SET name = hex(randomblob(1000000)) WHERE id = 1")
    try deployment.folder.succeed("regenerate", "--snapshot")
    let server = try RunningSeedbank(
      ["serve", "--port", "0"], in: deployment.folder.path,
      environment: ["SEEDBANK_HTTP_CONNECTION_LIMIT": "\(Self.limit)"])
    let target = try #require(RawClient(port: server.port).get("/v1/my/snapshot?model=1.0")["Location"])
    let crowd = SlowCrowd(attack, connections, from: sources, port: server.port, target: target)
    crowd.begin()
    defer { crowd.end() }
    var slowest = Duration.zero
    for _ in 0..<Self.probes {
      let start = ContinuousClock.now
      #expect(try RawClient(port: server.port).get("/v1").status == 200)
      slowest = max(slowest, ContinuousClock.now - start)
      usleep(50_000)
    }
    #expect(crowd.sentTurns > 0)
    // Printed only: the response time also depends on the machine.
    if Stage.isDeep { print("\(attack), \(connections) from \(sources.count): slowest answer \(slowest)") }
  }
}

/// Slow clients that reconnect whenever their connections are closed.
private final class SlowCrowd: Sendable {
  private let attack: SlowClientTests.Attack
  private let sources: [String]
  private let count: Int
  private let port: UInt16
  private let target: String
  private let turns = Atomic(0)
  private let isOver = Atomic(false)
  private let group = DispatchGroup()

  init(_ attack: SlowClientTests.Attack, _ count: Int, from sources: [String], port: UInt16, target: String) {
    (self.attack, self.count, self.sources, self.port, self.target) = (attack, count, sources, port, target)
  }

  var sentTurns: Int { turns.load(ordering: .relaxed) }

  /// Starts, and returns when all connections have been tried once.
  func begin() {
    let began = DispatchSemaphore(value: 0)
    group.enter()
    Thread.detachNewThread { [self] in
      var clients = [RawClient?](repeating: nil, count: count)
      turn(&clients)
      began.signal()
      while !isOver.load(ordering: .relaxed) {
        turn(&clients)
        usleep(100_000)
      }
      group.leave()
    }
    #expect(began.wait(timeout: .now() + longestWait) == .success)
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
    #expect(group.wait(timeout: .now() + longestWait) == .success)
  }

  /// Lets each client send or read a little, and reconnects closed ones.
  private func turn(_ clients: inout [RawClient?]) {
    for index in clients.indices {
      if let client = clients[index], nudge(client) { continue }
      clients[index] = open(from: sources[index % sources.count])
    }
    turns.add(1, ordering: .relaxed)
  }

  private func open(from source: String) -> RawClient? {
    let client = try? RawClient(port: port, source: source, receives: attack.reads ? 2_048 : nil)
    switch attack {
    case .heads: client?.send("GET / HTTP/1.1\r\nHost: a\r\n")
    case .bodies: client?.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
    case .reading, .crawling: client?.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    return client
  }

  private func nudge(_ client: RawClient) -> Bool {
    switch attack {
    case .heads: client.send("X-A: b\r\n") && client.sip(1)
    case .bodies: client.send("a") && client.sip(1)
    case .reading: client.sip(16)
    case .crawling: client.sip(100)
    }
  }
}
