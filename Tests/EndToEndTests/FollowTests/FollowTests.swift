import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

/// Single updates of a follower, with a healthy publisher and with broken ones.
@Suite struct FollowTests {
  let scene: FollowScene

  init() throws { scene = try FollowScene() }

  @Test func `a copy equals the publication byte by byte after each update`() throws {
    let first = try scene.look("--json")
    #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
    #expect(try first.json()["series"]?.elements?.first?["version"]?.integer == 3)
    try scene.expectSame("first")
    _ = scene.host.takeRequests()
    #expect(try scene.look().output == "my/1: version 3: unchanged\n")
    #expect(scene.host.takeRequests().map(\.path) == ["metadata/2.root.json", "metadata/timestamp.json"])
    try scene.publish("newer", "--snapshot")
    try scene.follow()
    try scene.expectSame("newer")
    try scene.publish("newest")
    try scene.folder.succeed("keys", "rotate", "timestamp", "series")
    try scene.follow()
    try scene.expectSame("newest, with other keys")
    #expect(scene.folder.exists("copy/metadata/2.root.json"))
    #expect(try Folder.names(in: scene.folder("copy/.follow/parts")) == [])
  }

  @Test func `--verify repairs a damaged file, and unnamed files are removed after the grace period`()
    throws
  {
    try scene.follow()
    let files = try scene.files(scene.copy)
    let object = try #require(files.keys.first { $0.hasPrefix("targets/") })
    var bytes = files[object] ?? []
    bytes[bytes.count / 2] ^= 1
    try DurableFile.write(bytes, to: scene.folder("copy/\(object)"))
    #expect(try scene.look().output.hasSuffix("unchanged\n"))
    #expect(try scene.look("--verify").output.contains("1 file, "))
    try scene.expectSame("damaged")
    try Folder.remove(scene.folder("copy/\(object)"))
    try scene.follow()
    try scene.expectSame("gone")
    let old = try scene.files(scene.copy).keys.filter { $0.hasSuffix(".snapshot.json") }
    try scene.publish("newer", "--snapshot")
    try scene.follow()
    #expect(try Set(old).isSubset(of: scene.files(scene.copy).keys))
    try scene.folder.endGrace(in: "copy/.follow")
    let outcome = try scene.look("--json")
    let removed = try outcome.json()["removed"]?.elements?.compactMap(\.string) ?? []
    #expect(Set(old).isSubset(of: removed), "\(outcome)")
    #expect(try Set(old).isDisjoint(with: scene.files(scene.copy).keys))
    try scene.expectSame("unnamed")
  }

  @Test func `a damaged root in the copy is fetched again`() throws {
    try Tool.run(["cp", scene.folder("seedbank/root.json"), scene.folder("first.json")])
    for _ in 1...2 { try scene.folder.succeed("keys", "renew", "root") }
    let look = ["follow", scene.host.address, "--root", "first.json", "--to", "copy", "--once"]
    try SeedbankBinary.succeed(look, in: scene.folder.path)
    for version in 1...3 {
      try DurableFile.write([0], to: scene.copy.metadataFile("\(version).root.json"))
      try SeedbankBinary.succeed(look, in: scene.folder.path)
      try scene.expectSame("root \(version)")
    }
  }

  /// Expects that an update fails with these words and leaves the metadata unchanged.
  private func expectRefusal(
    _ status: Int32, _ words: String..., arguments: String..., environment: [String: String] = [:]
  ) throws {
    let before = try scene.files(scene.copy)
    let outcome = try SeedbankBinary.run(
      scene.once + arguments, environment: environment, in: scene.folder.path)
    #expect(outcome.status == status, "\(outcome)")
    for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
    #expect(
      try scene.files(scene.copy).filter { $0.key.hasPrefix("metadata/") }
        == before.filter { $0.key.hasPrefix("metadata/") })
  }

  @Test(.full, arguments: [false, true])
  func `missing, truncated or damaged objects are never published`(hasCopy: Bool) throws {
    if hasCopy { try scene.follow() }
    try scene.publish("newer", "--snapshot")
    scene.host.begin(.missing("snapshot-4"))
    try expectRefusal(69, "does not have", "snapshot-4", "try again later")
    scene.host.begin(.cut("snapshot-4"))
    try expectRefusal(69, "snapshot-4")
    scene.host.begin(.damaged("snapshot-4"))
    try expectRefusal(65, "SHA-256", "`seedbank verify` on the server")
    scene.host.begin(.cut(".targets.json"))
    if !hasCopy { try expectRefusal(69, "targets.json") }
    scene.host.begin(.damaged("timestamp.json"))
    try expectRefusal(65, "timestamp metadata")
    scene.host.begin(.overloaded)
    try expectRefusal(69, "503")
    scene.host.begin(.none)
    try scene.follow()
    try scene.expectSame()
  }

  @Test func `an interrupted download is resumed`() throws {
    scene.host.begin(.cut("snapshot-1"))
    #expect(try scene.look().status == 69)
    scene.host.begin(.none)
    _ = scene.host.takeRequests()
    try scene.follow()
    let asked = scene.host.takeRequests().filter { $0.path.contains("snapshot-1") }
    #expect(asked.count == 1 && (asked.first?.range?.lowerBound ?? 0) > 0)
    try scene.expectSame()
  }

  @Test func `a signal ends --once with status 1, and the next look continues`() throws {
    scene.host.begin(.silent)
    let look = try TestProgram([SeedbankBinary.path] + scene.once, in: scene.folder.path)
    try waitUntil("a request") { !scene.host.takeRequests().isEmpty }
    #expect(try look.stop() == .exited(1))
    #expect(look.errors.contains("A signal ended the check"), "\(look.errors)")
    scene.host.begin(.none)
    try scene.follow()
    try scene.expectSame()
  }

  @Test func `an update without valid signatures, a folder of its own or a server is refused`() throws {
    let published = try scene.files(scene.origin.publication)
    try scene.look("--to", "seedbank/publication").expect(78, "no follower made")
    try scene.look("--to", "seedbank").expect(78, "holds a deployment")
    #expect(!scene.folder.exists("seedbank/metadata"))
    #expect(try scene.files(scene.origin.publication) == published)
    try scene.follow()
    try Tool.run(["mkdir", scene.folder("other")])
    try Tool.run(["cp", scene.folder("my.sqlite"), scene.folder("other/my.sqlite")])
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: scene.folder("other"))
    try expectRefusal(
      78, "began with another root", "1.root.json", arguments: "--root", "other/seedbank/root.json")
    try scene.look("--root", "other/seedbank/root.json", "--to", "fresh").expect(
      65, "compare the address and root.json")
    #expect(!scene.folder.exists("fresh/metadata"))
    let lock = try File(scene.folder("copy/.follow/lock"), for: .updating)
    #expect(try lock.tryLock())
    try expectRefusal(75, "nother process already writes into")
    lock.unlock()
    try scene.follow()
    let clock = try MovedClock()
    try expectRefusal(
      65, "expired at", "clients reject it",
      environment: clock.environment(seconds: 30 * MovedClock.secondsPerDay))
    scene.host.begin(.missing("metadata/"))
    try expectRefusal(69, "give the address of a publication")
    scene.host.stop()
    try expectRefusal(69, "Cannot get", "metadata/")
  }

  @Test func `a publication that went back is rejected`() throws {
    try Tool.run(["cp", "-a", scene.folder("seedbank"), scene.folder("backup")])
    try scene.publish("newer")
    try scene.follow()
    try scene.folder.replace("seedbank", by: "backup")
    try expectRefusal(65, "has an older state than the copy here", "The copy here is unchanged")
    // Within one second, both timestamps would be the same.
    let lost = UTCTime.now()
    try waitUntil("another second") { UTCTime.now() > lost }
    try scene.publish("another one")
    try expectRefusal(65, "differs from", "The copy here is unchanged")
  }

  @Test func `a copied folder is followed like a server, and damaged files in it are rejected`() throws {
    try scene.follow()
    func carry(_ folder: String) throws -> ProgramOutcome {
      try scene.folder.seedbank("follow", "copy", "--root", "seedbank/root.json", "--to", folder, "--once")
    }
    #expect(try carry("inside").status == 0)
    #expect(try scene.files(PublicationDirectory(scene.folder("inside"))) == scene.files(scene.copy))
    try scene.publish("newer", "--snapshot")
    try scene.follow()
    let object = try #require(scene.files(scene.copy).keys.first { $0.contains("snapshot-4") })
    let whole = try DurableFile.read(scene.folder("copy/\(object)"), limit: 1 << 24)
    try DurableFile.write(whole.dropLast() + [0xFF, 0xFF], to: scene.folder("copy/\(object)"))
    try carry("inside").expect(
      65, "is not the signed file: if 'seedbank follow' wrote it, repeat that command with --verify")
    try Folder.remove(scene.folder("copy/\(object)"))
    try carry("inside").expect(69, "copy it again")
    try DurableFile.write(whole, to: scene.folder("copy/\(object)"))
    #expect(try carry("inside").status == 0)
    #expect(
      try scene.files(PublicationDirectory(scene.folder("inside")))["metadata/timestamp.json"]
        == scene.files(scene.copy)["metadata/timestamp.json"])
    for (source, status, words) in [
      ("htps://x", 64, "a folder that holds a publication"), ("nowhere", 69, "mount its disk"),
    ] {
      try scene.folder.seedbank("follow", source, "--root", "seedbank/root.json", "--to", "other", "--once")
        .expect(Int32(status), words)
    }
    #expect(!scene.folder.exists("other"))
  }

  @Test func `contradicting options are reported`() throws {
    for (arguments, word) in [
      (["--serve"], "--once"), (["--port", "0"], "--serve"), (["--every", "0"], "--every"),
      (["--grace", "1"], "--grace"),
    ] {
      try SeedbankBinary.run(scene.once + arguments, in: scene.folder.path).expect(64, word)
    }
    #expect(!scene.folder.exists("copy"))
  }
}
