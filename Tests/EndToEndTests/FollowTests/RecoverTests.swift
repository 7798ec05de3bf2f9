import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct RecoverTests {
  let scene: FollowScene
  let follower: FolderHost

  init() throws {
    scene = try FollowScene()
    follower = try FolderHost(scene.folder("copy"))
  }

  /// Removes the publication and the state, but not the files that a backup contains.
  private func burn(_ names: [String] = ["publication", "state"]) throws {
    for name in names { try Tool.run(["rm", "-rf", scene.folder("seedbank/\(name)")]) }
  }

  private func recover(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["recover", "--from", follower.address] + arguments, in: scene.folder.path)
  }

  private func pull(_ store: String, from address: String? = nil) throws -> String {
    let outcome = try SeedbankBinary.run(
      SeedbankBinary.pull(address ?? scene.host.address, into: store) + ["--json"], in: scene.folder.path)
    guard outcome.status == 0 else { throw NeverHappened(what: "a pull: \(outcome)") }
    return try outcome.json()["action"]?.string ?? ""
  }

  private func head() throws -> (version: Int, rows: SeedRows)? {
    try PublicationProbe(publication: scene.origin.publication).head(scene.series)
  }

  private func epoch() throws -> Epoch? {
    try scene.origin.publication.published().series[scene.series]?.metadata.state.epoch
  }

  private func get(_ path: String, from front: RunningSeedbank) throws -> JSONValue {
    try JSONValue(parsing: try RawClient(port: front.port).get(path).body)
  }

  @Test func `after recover, the publisher continues its epoch and clients need no snapshot`() throws {
    try scene.follow()
    _ = try pull("store")
    let published = try scene.files(scene.origin.publication)
    try recover().expect(78, "never overwrites")
    #expect(try scene.files(scene.origin.publication) == published)
    let (before, epoch) = (try head(), try #require(try self.epoch()))
    try burn()
    let outcome = try recover("--json").expect(0)
    #expect(try outcome.json()["series"]?.elements?.first?["version"]?.integer == 3)
    #expect(try head()?.rows == before?.rows)
    #expect(try self.epoch() == epoch)
    #expect(!scene.folder.exists("seedbank/publication/.follow"))
    #expect(try scene.folder.seedbank("verify").status == 0)
    #expect(try pull("store") == "upToDate")
    let front = try RunningSeedbank(["serve", "--port", "0"], in: scene.folder.path)
    let changes = "/v1/my/changes?model=1.0&since=3&epoch=\(epoch)"
    let none = try get(changes, from: front)
    #expect(none["head"] == 3 && none["deltas"] == [])
    try scene.publish("after the fire")
    #expect(try head()?.version == 4)
    #expect(try pull("store") == "applied")
    try waitUntil("a plain client gets the next version") {
      let page = try get(changes, from: front)
      return page["to"] == 4 && page["deltas"]?.elements?.count == 1
    }
    try scene.follow()
    try scene.expectSame("the follower goes on", hasBurnt: true)
  }

  @Test func `a second recover at the same time reports the first one`() throws {
    try scene.follow()
    try burn()
    let first = try FollowFolder(scene.origin.publication.path)
    try recover().expect(75, "nother process already writes into")
    withExtendedLifetime(first) {}
  }

  @Test func `versions after the follower's last update are lost, and the follower's clients continue`()
    throws
  {
    try scene.follow()
    _ = try pull("behind", from: follower.address)
    try scene.publish("lost")
    _ = try pull("ahead")
    // The state, on another disk, has a copy of the lost version.
    try burn(["publication"])
    try scene.origin.origin("UPDATE shop SET name = 'found'")
    #expect(try recover().status == 0)
    try scene.folder.succeed("regenerate")
    #expect(try head()?.version == 4)
    #expect(try pull("behind") == "applied")
    // Only this client has the rows of the lost version.
    #expect(try pull("ahead") == "replaced")
  }

  @Test func `a missing root.json or key is reported, and recover can be repeated`() throws {
    try scene.follow()
    try burn()
    try Tool.run(["mv", scene.folder("seedbank/root.json"), scene.folder("app-root.json")])
    try recover().expect(78, "root.json is missing")
    try Tool.run(["mkdir", scene.folder("other")])
    try Tool.run(["cp", scene.folder("my.sqlite"), scene.folder("other/my.sqlite")])
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: scene.folder("other"))
    try recover("--root", "other/seedbank/root.json").expect(65, "not those of the root file")
    #expect(!scene.folder.exists("seedbank/root.json"))
    try Tool.run(["mv", scene.folder("seedbank/keys/series.key"), scene.folder("series.key")])
    try recover("--root", "app-root.json").expect(78, "series.key", "run 'seedbank recover' again")
    try Tool.run(["mv", scene.folder("series.key"), scene.folder("seedbank/keys/series.key")])
    try scene.folder.seedbank("regenerate").expect(78, "run 'seedbank recover' again")
    // The refused one has put root.json in its place.
    #expect(try recover().status == 0)
    #expect(try scene.folder.text("seedbank/root.json") == scene.folder.text("app-root.json"))
    #expect(try scene.folder.seedbank("verify").status == 0)
    try scene.publish("after the fire")
    #expect(try head()?.version == 4)
  }

  @Test func `recover takes the newest of several copies and ignores hosts that are down`() throws {
    try scene.follow()
    try Tool.run(["cp", "-a", scene.folder("copy"), scene.folder("older")])
    let older = try FolderHost(scene.folder("older"))
    try scene.publish("newer")
    try scene.follow()
    let gone = try FolderHost(scene.folder("nowhere"))
    gone.stop()
    func expectNewest(from hosts: FolderHost...) throws {
      let outcome = try SeedbankBinary.run(
        ["recover", "--json"] + hosts.flatMap { ["--from", $0.address] }, in: scene.folder.path)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try outcome.json()["series"]?.elements?.first?["version"]?.integer == 4)
    }
    try burn()
    try expectNewest(from: older, gone, follower)
    try burn()
    try expectNewest(from: follower, older)
    // A call without a key has already taken over the newer copy.
    try burn()
    try Tool.run(["mv", scene.folder("seedbank/keys/series.key"), scene.folder("series.key")])
    try recover().expect(78, "series.key")
    try Tool.run(["mv", scene.folder("series.key"), scene.folder("seedbank/keys/series.key")])
    try expectNewest(from: older, gone)
  }

  @Test func `if no copy answers, new-epoch starts over`() throws {
    try burn()
    let gone = try FolderHost(scene.folder("nowhere"))
    gone.stop()
    try scene.folder.seedbank("recover", "--from", gone.address).expect(69)
    let (root, kept) = (scene.folder("seedbank/root.json"), scene.folder("app-root.json"))
    try Tool.run(["mv", root, kept])
    try scene.folder.seedbank("new-epoch", "--yes").expect(78, "put the root.json that apps ship there")
    try Tool.run(["mv", kept, root])
    let origin = scene.folder("my.sqlite")
    try Tool.run(["mv", origin, "\(origin).away"])
    try scene.folder.seedbank("new-epoch", "--yes").expect(69)
    try Tool.run(["mv", "\(origin).away", origin])
    try scene.folder.seedbank("regenerate").expect(78, "is a copy of a publication")
    try scene.folder.seedbank("new-epoch", "--yes").expect(0)
    #expect(!scene.folder.exists("seedbank/publication/.follow"))
    #expect(try head()?.version == 1)
    #expect(try scene.folder.seedbank("verify").status == 0)
  }

  @Test func `recover accepts a copy with expired signatures and warns`() throws {
    try scene.follow()
    try burn()
    let clock = try MovedClock()
    let later = clock.environment(seconds: 30 * MovedClock.secondsPerDay)
    let outcome = try scene.folder.seedbank(
      "recover", "--from", follower.address, "--json", environment: later)
    outcome.expect(0, "timestamp in the copy expired")
    let warnings = try outcome.json()["warnings"]?.elements?.compactMap(\.string) ?? []
    #expect(warnings.contains { $0.contains("timestamp in the copy expired") }, "\(outcome)")
    #expect(try scene.folder.seedbank("verify", environment: later).status == 0)
  }

  @Test func `a recovery that fails at any file operation can be repeated`() throws {
    try scene.follow()
    try Tool.run(["cp", "-a", scene.folder("seedbank"), scene.folder("whole")])
    let command = ["recover", "--from", follower.address]
    try burn()
    let injector = try FaultInjector()
    let count = try injector.count(command, on: "publication", in: scene.folder.path)
    for (fault, point) in FaultInjector.attempts(count, sample: 8) {
      try burn()
      let failed = try injector.run(command, fault, at: point, on: "publication", in: scene.folder.path)
      let what = "\(fault) at \(point) of \(count): \(failed)"
      if FollowFolder.isBegun(in: scene.folder("seedbank/publication")) || failed.status != 0 {
        let again = try recover()
        // The first call may have finished, or have released the folder.
        #expect(again.status == 0 || again.errors.contains("never overwrites"), "\(what): \(again)")
      }
      #expect(try head()?.version == 3, "\(what)")
      #expect(try scene.folder.seedbank("regenerate").status == 0, "\(what)")
    }
  }

  /// A publisher loses its disk at random moments. Its follower may lag by one version; one client reads from the
  /// follower, another from the publisher.
  @Test(.full)
  func `after disk losses at random moments, the publisher recovers and clients reach the same rows`()
    throws
  {
    var random = SplitMix(seed: Stage.seed)
    let seed = random
    try scene.grow()
    for fire in 1...(Stage.isDeep ? 20 : 4) {
      try burnOnce(fire, &random, "seed \(seed), fire \(fire)")
    }
  }

  private func burnOnce(_ fire: Int, _ random: inout SplitMix, _ what: String) throws {
    var hasLost = false
    for step in 0...Int.random(in: 0...4, using: &random) {
      // Loses at most the last version.
      if hasLost { try scene.follow() }
      try scene.publish("fire \(fire), step \(step)")
      hasLost = Bool.random(using: &random)
      if !hasLost || step == 0 {
        try scene.follow()
        hasLost = false
      }
      if Bool.random(using: &random) { _ = try pull("careful", from: follower.address) }
      if Bool.random(using: &random) { _ = try pull("direct") }
    }
    try burn()
    #expect(try recover().status == 0, "\(what)")
    try scene.publish("after fire \(fire)")
    let careful = try pull("careful")
    #expect(fire == 1 || careful != "replaced", "\(what): \(careful)")
    let direct = try pull("direct")
    #expect(fire == 1 || hasLost || direct != "replaced", "\(what): \(direct)")
    for store in ["careful", "direct"] { try expectNames("after fire \(fire)", store, what) }
    try scene.follow()
    try scene.expectSame(what, hasBurnt: true)
  }

  private func expectNames(_ name: String, _ store: String, _ what: String) throws {
    let found = try Tool.sqlite(
      Dump.file(ofStore: scene.folder(store)), "SELECT DISTINCT name FROM shop WHERE id < 4")
    #expect(found == "\(name)\n", "\(what): \(store)")
  }
}
