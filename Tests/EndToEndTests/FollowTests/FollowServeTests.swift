import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct FollowServeTests {
  let scene: FollowScene

  init() throws { scene = try FollowScene() }

  private func follower(_ arguments: String..., environment: [String: String] = [:]) throws -> RunningSeedbank
  {
    try RunningSeedbank(
      [
        "follow", scene.host.address, "--root", "seedbank/root.json", "--to", "copy", "--every", "1",
        "--serve", "--port", "0",
      ] + arguments, in: scene.folder.path, environment: environment)
  }

  private func get(_ follower: RunningSeedbank, _ path: String) throws -> JSONValue {
    try JSONValue(parsing: try RawClient(port: follower.port).get(path).body)
  }

  private func head(_ follower: RunningSeedbank, _ member: String = "head") throws -> String? {
    try get(follower, "/readyz")["series"]?.elements?.first?[member]?.text
  }

  @Test func `a new version is served a moment later, and clients of both hosts and python-tuf agree`() throws
  {
    let follower = try follower()
    try waitUntil("the first copy") { try head(follower) == "3" }
    try scene.publish("newer")
    try waitUntil("the newer version") { try head(follower) == "4" }
    #expect(try get(follower, "/readyz")["follows"]?["late"] == false)
    let page = String(decoding: try RawClient(port: follower.port).get("/").body, as: UTF8.self)
    #expect(page.contains("This front serves a copy of another publication. The copy was last complete"))
    #expect(page.contains("Only the publisher’s own front"))
    for address in [scene.host.address, follower.address] {
      try SeedbankBinary.succeed(SeedbankBinary.pull(address, into: "store"), in: scene.folder.path)
    }
    let found = try Tool.script(
      "Tests/EndToEndTests/RoadTests/tuf_client.py", follower.address, scene.folder("seedbank/root.json"),
      "my", "1", scene.folder("tuf"))
    let metadata = try scene.origin.publication.published().series[scene.series]?.metadata
    #expect(found == "verified \(metadata?.objects.count ?? 0) targets\n")
    #expect(follower.stop() == 0)
    try scene.expectSame()
  }

  @Test(.full) func `without its origin, a follower serves its copy, logs one error and recovers`() throws {
    let follower = try follower()
    try waitUntil("the first copy") { try head(follower) == "3" }
    scene.host.begin(.missing("metadata/"))
    try waitUntil("it reports the failure") { try get(follower, "/readyz")["follows"]?["failing"] == true }
    #expect(try get(follower, "/readyz")["ready"] == true)
    _ = scene.host.takeRequests()
    try waitUntil("two more looks") {
      scene.host.takeRequests().contains { $0.path == "metadata/timestamp.json" }
    }
    scene.host.begin(.none)
    try scene.publish("back again")
    try waitUntil("the new version") { try head(follower) == "4" }
    _ = follower.stop()
    #expect(follower.errors.matches(of: /level=error/).count == 1, "\(follower.errors)")
    #expect(follower.errors.contains("checks succeed again"))
  }

  @Test(.full) func `a follower is not ready before its first copy, and serves an earlier copy at once`()
    throws
  {
    scene.host.begin(.missing("metadata/"))
    let first = try follower()
    #expect(try RawClient(port: first.port).get("/readyz").status == 503)
    scene.host.begin(.none)
    try waitUntil("the copy") { try RawClient(port: first.port).get("/readyz").status == 200 }
    _ = first.stop()
    scene.host.stop()
    let second = try follower()
    #expect(try head(second) == "3")
  }

  @Test func `a follower serves a file that metadata no longer names for the seconds of --grace`() throws {
    let later = [
      "LD_PRELOAD": try PreloadedLibrary.path("later_clock"), "SEEDBANK_LATER": scene.folder("later"),
    ]
    let follower = try follower("--grace", "7200", environment: later)
    try waitUntil("the first copy") { try head(follower) == "3" }
    let copied = try scene.files(scene.copy).keys
    let metadata = try #require(copied.first { $0.hasSuffix(".snapshot.json") })
    let object = try #require(copied.first { $0.contains(".snapshot-") })
    for version in 4...7 {
      if version == 7 { try scene.folder.write("", to: "later") }
      try scene.publish("name \(version)", "--snapshot")
      try waitUntil("snapshot \(version)") { try head(follower, "snapshot") == "\(version)" }
    }
    #expect(try RawClient(port: follower.port).get("/\(metadata)").status == 404)
    #expect(try RawClient(port: follower.port).get("/\(object)").status == 200)
  }

  @Test func `follow without --serve updates its copy until SIGTERM`() throws {
    let follower = try TestProgram(
      [SeedbankBinary.path] + scene.once.filter { $0 != "--once" } + ["--every", "1"], in: scene.folder.path)
    try waitUntil("the first copy") { scene.folder.exists("copy/metadata/timestamp.json") }
    try scene.publish("newer")
    try waitUntil("the next version") {
      try PublicationDirectory(scene.folder("copy")).published().series[scene.series]?.metadata.state.head
        .number
        == 4
    }
    #expect(try follower.stop() == .exited(0))
    try scene.expectSame()
  }
}
