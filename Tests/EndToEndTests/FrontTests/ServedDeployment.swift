import Foundation
import SeedFormat
import SeedFront
import SeedHTTP
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support

/// An origin, its real publisher, and a front.
final class ServedDeployment {
  let deployment: TestDeployment
  let front: Front
  let root: [UInt8]
  private(set) var random: SplitMix

  static let series = SeedSeries("test", model: "1.0")

  /// Enough initial rows for a snapshot of some hundred kilobytes.
  private static let rows = 4_000

  init(seed: UInt64) throws {
    deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT)")],
      in: TemporaryFolder(inMemory: true))
    random = SplitMix(seed: seed)
    deployment.job.retainedSnapshots = 2
    try deployment.origin("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT)")
    try deployment.origin(Self.filling)
    _ = try deployment.step(forcingSnapshot: true)
    root = try deployment.publication.metadata("1.root.json") ?? []
    // The tests' clients and their proxy share this machine's address.
    var http = HTTPServerConfiguration()
    http.trustedProxies = ["127.0.0.0/8"].compactMap { IPNetwork($0) }
    front = try Front(
      FrontConfiguration(publication: deployment.publication.path, pages: PageScene.pages, http: http))
  }

  // Random digits, which compress little.
  private static let filling = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
    INSERT INTO item SELECT i, 'item ' || i, hex(randomblob(40)) FROM n
    """

  /// Changes some rows and publishes them; the front serves them on return.
  func publish(snapshot: Bool = false) throws {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let id = Int.random(in: 1...(Self.rows + 200), using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: try deployment.origin("DELETE FROM item WHERE id = \(id)")
      case 1: try deployment.origin("INSERT OR REPLACE INTO item VALUES (\(id), 'new', hex(randomblob(9)))")
      default: try deployment.origin("UPDATE item SET name = name || '+' WHERE id = \(id)")
      }
    }
    _ = try deployment.step(forcingSnapshot: snapshot)
    try front.reload()
  }

  /// Advances the publisher's clock so that a step removes unnamed files.
  func letGracePass() {
    deployment.clock = deployment.clock.adding(seconds: deployment.job.graceSeconds + 10)
  }

  func newestSnapshot() throws -> PublishedObject {
    guard let snapshot = try deployment.metadata().newestSnapshot else {
      throw NeverHappened(what: "a snapshot")
    }
    return snapshot
  }
}
