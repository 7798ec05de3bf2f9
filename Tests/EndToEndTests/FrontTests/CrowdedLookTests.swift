import Foundation
import SeedFront
import SeedSystem
import Support
import Testing

@Suite struct CrowdedLookTests {
  /// The age in seconds at which the proxy no longer serves `timestamp.json` while it revalidates.
  private static let oldSeconds = 7

  /// The state of the proxy's cache when the crowd arrives.
  enum Kept: CaseIterable {
    case nothing, fresh, old
  }

  private let served: ServedDeployment

  init() throws { served = try ServedDeployment(seed: 63) }

  @Test(.full, arguments: Kept.allCases)
  func `a thousand update checks within a second cost the front at most six requests`(kept: Kept) throws {
    try expectFew(kept, fronts: [served.front.port])
  }

  @Test(.full) func `a thousand update checks cost two followers together no more than one front`() throws {
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
    let before = try fronts.map(LookingCrowd.requests).reduce(0, +)
    let proxy = try NginxProxy(before: fronts)
    let crowd = LookingCrowd(port: proxy.plainPort)
    if kept != .nothing { try crowd.warm() }
    if kept == .old {
      let start = ContinuousClock.now
      try waitUntil("what is kept is old") { ContinuousClock.now - start > .seconds(Self.oldSeconds) }
    }
    #expect(crowd.lookAll() == 0)
    let cost = try fronts.map(LookingCrowd.requests).reduce(0, +) - before
    var found: [Substring: Int] = [:]
    try waitUntil("nginx has logged them") {
      found = try proxy.requestsToFronts()
      return found.values.reduce(0, +) >= cost
    }
    print("\(kept), \(fronts.count) fronts: \(LookingCrowd.looks) looks, \(cost) requests to them")
    // A busy machine takes longer, and the proxy revalidates each second.
    #expect(found.values.allSatisfy { $0 <= LookingCrowd.requestsPerSecond }, "\(found)")
  }
}
