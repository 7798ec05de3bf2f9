import Foundation
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// A publisher that lost its disk recovers from a mirror and updates its mirrors again.
@Suite struct MirrorRecoveryTests {
  private func burn(_ deployment: OperatedDeployment) throws {
    for name in ["publication", "state"] { try Folder.removeAll(deployment.folder("seedbank/\(name)")) }
  }

  @Test func `recover reads a bucket or an older copy, and the old publisher is stopped`() throws {
    let scene = try BucketScene()
    try scene.publish("one")
    try scene.publish("two")
    let twin = scene.deployment.folder("twin")
    try FileManager.default.copyItem(atPath: scene.deployment.folder("seedbank"), toPath: twin)
    try burn(scene.deployment)
    try scene.deployment.folder.seedbank("recover", "--from", "s3://seeds/prod").expect(
      78, "AWS_SHARED_CREDENTIALS_FILE")
    try scene.seedbank("recover", "--from", "s3://seeds/prod", "--json").expect(0)
    try scene.publish("after the fire")
    try scene.expectWhole("the heir's bucket")
    try scene.deployment.folder.replace("copy", by: "seedbank/publication")
    try scene.publish("lost")
    try burn(scene.deployment)
    try scene.seedbank("recover", "--from", "copy").expect(0, output: "my/1: version ", ", published at ")
    try scene.publish("found")
    try scene.expectWhole("the bucket of an older copy's heir")
    try scene.change("from the grave")
    try scene.seedbank("regenerate", "--config", "\(twin)/seedbank.json").expect(75, "seedbank recover")
    try scene.expectWhole("after the old publisher")
  }

  @Test func `without a mirror in the configuration, the AWS variables name the store`() throws {
    let scene = try BucketScene()
    try scene.publish("one")
    try burn(scene.deployment)
    try scene.deployment.name(mirrors: [])
    let none = try scene.deployment.folder.seedbank("recover", "--from", "s3://")
    #expect(none.status != 0 && none.errors.contains("s3://bucket/prefix"), "\(none)")
    var environment = scene.bucket.environment
    environment["AWS_ENDPOINT_URL_S3"] = "http://store.example"
    try scene.deployment.folder.seedbank(
      "recover", "--from", "s3://seeds/prod", environment: environment
    ).expect(78, "AWS_ENDPOINT_URL_S3", "https:// unless the server is this machine")
    environment["AWS_ENDPOINT_URL_S3"] = "http://127.0.0.1:\(scene.bucket.port)"
    let outcome = try scene.deployment.folder.seedbank(
      "recover", "--from", "s3://seeds/prod", environment: environment)
    #expect(outcome.status == 0 && outcome.output.hasPrefix("my/1: version "), "\(outcome)")
  }

  @Test(arguments: [false, true])
  func `after a new-epoch that failed or was killed, the next one takes over the mirrors`(
    isKilled: Bool
  ) throws {
    let deployment = try OperatedDeployment()
    let mirror = deployment.folder("mirror")
    try Folder.create(mirror)
    try deployment.name(mirrors: [["folder": .string(mirror)]])
    try deployment.folder.succeed("regenerate")
    try burn(deployment)
    let (newEpoch, origin) = (["new-epoch", "--yes"], deployment.folder("my.sqlite"))
    if isKilled {
      let outcome = try FaultInjector().run(
        newEpoch, .kill, at: 1, on: "publication/targets", in: deployment.folder.path)
      #expect(outcome.status != 0)
    } else {
      try Folder.rename(origin, to: "\(origin).away")
      #expect(try SeedbankBinary.run(newEpoch, in: deployment.folder.path).status == 69)
      try Folder.rename("\(origin).away", to: origin)
    }
    for command in [newEpoch, ["regenerate"]] {
      let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
      #expect(outcome.status == 0 && !outcome.errors.contains("mirror"), "\(command): \(outcome)")
    }
    let timestamp = "metadata/timestamp.json"
    try Tool.run(["cmp", deployment.folder("seedbank/publication/\(timestamp)"), "\(mirror)/\(timestamp)"])
  }

  private final class Reader {
    let host: FolderHost
    let deployment: OperatedDeployment
    var version = 0
    var name = ""

    init(_ deployment: OperatedDeployment, _ mirror: String) throws {
      (self.deployment, host) = (deployment, try FolderHost(mirror))
    }

    func pull(_ what: String) throws {
      let outcome = try deployment.seedbank(
        "pull", host.address, "--dataset", "my", "--model", "1.0", "--root", "seedbank/root.json", "--store",
        "phone", "--json")
      #expect(outcome.status == 0, "\(what): \(outcome)")
      let json = try outcome.json()
      let now = json["to"]?.integer ?? 0
      #expect(now >= version, "\(what): from \(version) back to \(now)")
      version = now
      name = try Tool.sqlite(json["path"]?.string ?? "", "SELECT name FROM shop WHERE id = 1")
    }
  }

  @Test func `after a crash at any moment of a step or a push, at most the last version is lost`() throws {
    let deployment = try OperatedDeployment()
    let mirror = deployment.folder("mirror")
    try Folder.create(mirror)
    try deployment.name(mirrors: [["folder": .string(mirror)]])
    try deployment.folder.succeed("regenerate")
    let (reader, injector) = (try Reader(deployment, mirror), try FaultInjector())
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    try deployment.origin("UPDATE shop SET name = 'first' WHERE id = 1")
    let count = try injector.count(["regenerate"], in: deployment.folder.path)
    for fire in 1...Stage.pick(quick: 1, full: 4, deep: 20) {
      let point = Int.random(in: 1...count, using: &random)
      let what = "seed \(seed), fire \(fire) at operation \(point) of \(count)"
      try deployment.origin("UPDATE shop SET name = 'fire \(fire)' WHERE id = 1")
      _ = try injector.run(["regenerate"], .kill, at: point, in: deployment.folder.path)
      try reader.pull(what)
      let before = reader.version
      try burn(deployment)
      let outcome = try deployment.seedbank("recover", "--from", "mirror")
      #expect(outcome.status == 0, "\(what): \(outcome)")
      let step = try deployment.seedbank("regenerate")
      #expect(step.status == 0 && !step.errors.contains("mirror"), "\(what): \(step)")
      try reader.pull(what)
      // The killed step's version is published or will be now.
      #expect((before...before + 1).contains(reader.version), "\(what)")
      #expect(reader.name == "fire \(fire)\n", "\(what)")
    }
  }
}
