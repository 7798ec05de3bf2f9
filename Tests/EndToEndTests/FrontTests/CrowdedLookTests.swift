import Foundation
import SeedServer
import SeedSystem
import Support
import Testing

/// A crowd of clients looks for something new, through the documented nginx.
@Suite(.bounded) struct CrowdedLookTests {
  private static let looks = 1_000
  private static let threads = 20
  /// What so many looks may cost the front in each second.
  private static let requestsPerSecond = 6
  /// Seconds after which the proxy may not give an answer to `timestamp.json` any more while it asks anew.
  private static let oldSeconds = 7

  /// What the proxy has when the crowd comes.
  enum Kept: CaseIterable {
    case nothing, fresh, old
  }

  private let served: ServedDeployment
  private let proxy: NginxProxy

  init() throws {
    served = try ServedDeployment(seed: 63)
    proxy = try NginxProxy(before: served.front.port)
  }

  @Test(.full, arguments: Kept.allCases)
  func `a thousand looks within a second cost the front at most six requests`(kept: Kept) throws {
    try prepare(kept)
    let before = try requestsToFront()
    let start = ContinuousClock.now
    let failures = lookAll()
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let cost = try requestsToFront() - before
    print("\(kept): \(Self.looks) looks in \(seconds) s, \(cost) requests to the front")
    #expect(failures == 0)
    // On a busy machine they take longer, and the proxy asks anew each second.
    #expect(cost <= Self.requestsPerSecond * Int(seconds.rounded(.up)), "in \(seconds) s")
  }

  private func prepare(_ kept: Kept) throws {
    guard kept != .nothing else { return }
    for coding in Self.codings { try Self.look(proxy.plainPort, coding) }
    guard kept == .old else { return }
    let start = ContinuousClock.now
    try waitUntil("what is kept is old") { ContinuousClock.now - start > .seconds(Self.oldSeconds) }
  }

  /// Clients of several kinds: each names the codings that it reads.
  private static let codings = ["", "Accept-Encoding: gzip, deflate, br\r\n"]

  private func lookAll() -> Int {
    let failures = Mutex(0)
    let group = DispatchGroup()
    for thread in 0..<Self.threads {
      group.enter()
      Thread.detachNewThread { [port = proxy.plainPort] in
        for number in 0..<Self.looks / Self.threads {
          do {
            try Self.look(port, Self.codings[(thread + number) % Self.codings.count])
          } catch {
            failures.withLock { $0 += 1 }
          }
        }
        group.leave()
      }
    }
    group.wait()
    return failures.withLock(\.self)
  }

  /// What a client without news asks for, on a connection of its own.
  private static func look(_ port: UInt16, _ coding: String) throws {
    let client = try RawClient(port: port)
    let root = try client.get("/metadata/2.root.json", extra: coding)
    let timestamp = try client.get("/metadata/timestamp.json", extra: coding)
    guard root.status == 404, timestamp.status == 200 else {
      throw NeverHappened(what: "a look: \(root.status), \(timestamp.status)")
    }
  }

  private func requestsToFront() throws -> Int {
    let metrics = try RawClient(port: served.front.port).get("/metrics").body
    return String(decoding: metrics, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("seedbank_requests_total{") && !$0.contains(#"kind="metrics""#) }
      .compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
      .reduce(0) { $0 + Int($1) }
  }
}
