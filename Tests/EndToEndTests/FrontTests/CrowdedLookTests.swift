import Foundation
import SeedServer
import SeedSystem
import Support
import Testing

/// A crowd of clients looks for something new, through the documented nginx.
@Suite struct CrowdedLookTests {
  /// Seconds after which the proxy may not give an answer to `timestamp.json` any more while it asks anew.
  private static let oldSeconds = 7

  /// What the proxy has when the crowd comes.
  enum Kept: CaseIterable {
    case nothing, fresh, old
  }

  private let served: ServedDeployment

  init() throws { served = try ServedDeployment(seed: 63) }

  @Test(.full, arguments: Kept.allCases)
  func `a thousand looks within a second cost the front at most six requests`(kept: Kept) throws {
    try expectFew(kept, fronts: [served.front.port])
  }

  @Test(.full) func `with two followers behind the proxy they cost both together no more`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Data(served.root).write(to: URL(fileURLWithPath: folder("root.json")))
    let followers = try (1...2).map { number in
      try RunningSeedbank(
        [
          "follow", "http://127.0.0.1:\(served.front.port)", "--root", "root.json", "--to", "copy-\(number)",
          "--serve", "--port", "0",
        ], in: folder.path)
    }
    for follower in followers {
      try waitUntil("a copy") { try RawClient(port: follower.port).get("/readyz").status == 200 }
    }
    for kept in Kept.allCases { try expectFew(kept, fronts: followers.map(\.port)) }
  }

  private func expectFew(_ kept: Kept, fronts: [UInt16]) throws {
    let proxy = try NginxProxy(before: fronts)
    let crowd = LookingCrowd(port: proxy.plainPort)
    if kept != .nothing { try crowd.warm() }
    if kept == .old {
      let start = ContinuousClock.now
      try waitUntil("what is kept is old") { ContinuousClock.now - start > .seconds(Self.oldSeconds) }
    }
    let before = try fronts.map(LookingCrowd.requests).reduce(0, +)
    let (failures, seconds) = crowd.lookAll()
    let cost = try fronts.map(LookingCrowd.requests).reduce(0, +) - before
    print(
      "\(kept), \(fronts.count) fronts: \(LookingCrowd.looks) looks in \(seconds) s, \(cost) requests to them"
    )
    #expect(failures == 0)
    // On a busy machine they take longer, and the proxy asks anew each second.
    #expect(cost <= LookingCrowd.requestsPerSecond * Int(seconds.rounded(.up)), "in \(seconds) s")
  }
}
