import Foundation
import SeedSystem
import Support
import Testing

/// A thousand clients that check for updates as fast as they can.
struct LookingCrowd {
  let port: UInt16

  static let looks = 1_000
  private static let threads = 20
  /// The limit of requests to all fronts per second.
  static let requestsPerSecond = 6
  /// The Accept-Encoding fields of different clients.
  private static let codings = ["", "Accept-Encoding: gzip, deflate, br\r\n"]

  func warm() throws { for coding in Self.codings { try look(coding) } }

  /// Runs all checks and returns the number of failures.
  func lookAll() -> Int {
    let failures = Mutex(0)
    let group = DispatchGroup()
    for thread in 0..<Self.threads {
      group.enter()
      Thread.detachNewThread {
        for number in 0..<Self.looks / Self.threads {
          do {
            try look(Self.codings[(thread + number) % Self.codings.count])
          } catch {
            failures.withLock { $0 += 1 }
          }
        }
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + longestWait) == .success)
    return failures.withLock(\.self)
  }

  /// Requests the next root and the timestamp on a new connection, as a client does when it is up to date.
  private func look(_ coding: String) throws {
    let client = try RawClient(port: port)
    let root = try client.get("/metadata/2.root.json", extra: coding)
    let timestamp = try client.get("/metadata/timestamp.json", extra: coding)
    guard root.status == 404, timestamp.status == 200 else {
      throw NeverHappened(what: "a look: \(root.status), \(timestamp.status)")
    }
  }

  /// Returns the number of requests to a front, without those for metrics.
  static func requests(toFront port: UInt16) throws -> Int {
    let metrics = try RawClient(port: port).get("/metrics").body
    return String(decoding: metrics, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("seedbank_requests_total{") && !$0.contains(#"kind="metrics""#) }
      .compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
      .reduce(0) { $0 + Int($1) }
  }
}
