import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct MirrorTests {
  private struct Scene {
    let deployment: OperatedDeployment
    let mirror: String

    init() throws {
      deployment = try OperatedDeployment()
      mirror = deployment.folder("mirror")
      try Folder.create(mirror)
      try name([mirror])
    }

    func name(_ folders: [String]) throws {
      try deployment.name(mirrors: .array(folders.map { ["folder": .string($0)] }))
    }

    func change(_ text: String) throws {
      try deployment.origin("UPDATE shop SET name = '\(text)' WHERE id = 1")
    }

    /// Returns the folder of a second publisher with the same keys, one version behind the first publisher.
    func twin() throws -> String {
      try change("common")
      #expect(try deployment.seedbank("regenerate").status == 0)
      let twin = deployment.folder("twin")
      try FileManager.default.copyItem(atPath: deployment.folder("seedbank"), toPath: twin)
      try change("ours")
      #expect(try deployment.seedbank("regenerate").status == 0)
      return twin
    }

    func file(_ path: String, in folder: String) -> [UInt8]? {
      try? DurableFile.read("\(folder)/\(path)", limit: 1 << 20)
    }

    /// Expects that the mirror shows the newest version with all its objects.
    func expectEqual(_ sourceLocation: SourceLocation = #_sourceLocation) {
      let path = "metadata/timestamp.json"
      let shown = file(path, in: mirror)
      #expect(shown == file(path, in: deployment.publication.path), sourceLocation: sourceLocation)
      expectWhole(sourceLocation)
    }

    /// Expects that the mirror has all objects of its timestamp.
    func expectWhole(_ sourceLocation: SourceLocation = #_sourceLocation) {
      let copy = PublicationDirectory(mirror)
      let objects = (try? copy.published())?.series.values.flatMap(\.metadata.objects) ?? []
      #expect(!objects.isEmpty, sourceLocation: sourceLocation)
      for object in objects {
        let found = try? SHA256Digest.ofFile(at: copy.file(object))
        #expect(found?.digest == object.sha256, "\(object.filePath)", sourceLocation: sourceLocation)
      }
    }

    var warnings: String {
      get throws { try deployment.seedbank("status").output }
    }
  }

  @Test func `a missing publication is not reported as unaffected, and the mirror is named`() throws {
    let scene = try Scene()
    try Tool.run(["rm", "-rf", scene.deployment.publication.path])
    let outcome = try scene.deployment.seedbank("regenerate").expect(65, "There is no publication at")
    #expect(outcome.errors.contains("The mirror \(scene.mirror) is not updated until that is fixed."))
    #expect(!outcome.errors.contains("not affected"), "\(outcome.errors)")
  }

  @Test func `run mirrors its own versions and those of other commands`() throws {
    let scene = try Scene()
    let run = try RunningSeedbank(["run", "--port", "0"], in: scene.deployment.folder.path)
    defer { withExtendedLifetime(run) {} }
    func isShown() -> Bool {
      let path = "metadata/timestamp.json"
      let shown = scene.file(path, in: scene.mirror)
      return shown != nil && shown == scene.file(path, in: scene.deployment.publication.path)
    }
    try waitUntil("the mirror is filled") { isShown() }
    let before = scene.file("metadata/timestamp.json", in: scene.mirror)
    try scene.change("while it runs")
    try waitUntil("the change is mirrored") {
      isShown() && scene.file("metadata/timestamp.json", in: scene.mirror) != before
    }
    scene.expectEqual()
  }

  @Test func `a missing mirror is reported as behind, stops no step, and catches up when it returns`() throws
  {
    let scene = try Scene()
    try scene.change("one")
    #expect(try scene.deployment.seedbank("regenerate").status == 0)
    try Folder.rename(scene.mirror, to: scene.mirror + "-away")
    try scene.change("two")
    try scene.deployment.seedbank("regenerate").expect(0, "there is no such folder")
    #expect(try scene.warnings.contains("warning: the mirror \(scene.mirror): has the state of"))
    let front = try RunningSeedbank(["serve", "--port", "0"], in: scene.deployment.folder.path)
    func isBehind() throws -> Bool {
      let metrics = String(decoding: try RawClient(port: front.port).get("/metrics").body, as: UTF8.self)
      try #require(metrics.contains("# TYPE seedbank_mirror_behind_timestamp_seconds gauge"), "\(metrics)")
      return metrics.contains("\nseedbank_mirror_behind_timestamp_seconds{mirror=\"1\"} ")
    }
    try waitUntil("the metrics report that it is behind") { try isBehind() }
    #expect(
      !(try Tool.run(["cat", scene.deployment.folder("seedbank/publication/facts/mirrors.json")])).contains(
        scene.mirror))
    // An unmounted disk leaves an empty folder.
    try Folder.create(scene.mirror)
    try scene.change("three")
    try scene.deployment.seedbank("regenerate").expect(0, "Is the mirror's disk mounted?")
    #expect(try Folder.names(in: scene.mirror).filter { !$0.hasPrefix(".") }.isEmpty)
    try Folder.removeAll(scene.mirror)
    try Folder.rename(scene.mirror + "-away", to: scene.mirror)
    try scene.change("four")
    #expect(try scene.deployment.seedbank("regenerate").errors.isEmpty)
    scene.expectEqual()
    let status = try scene.warnings
    #expect(!status.contains("warning: the mirror") && status.contains("\(scene.mirror): up to date since"))
    try waitUntil("the metrics report that it is up to date") { try !isBehind() }
  }

  @Test func `a mirror's disk that fails at any operation stops no step and leaves a complete mirror`()
    throws
  {
    let scene = try Scene()
    try scene.change("before")
    #expect(try scene.deployment.seedbank("regenerate").status == 0)
    let injector = try FaultInjector()
    try scene.change("counted")
    let count = try injector.count(["regenerate"], on: "/mirror/", in: scene.deployment.folder.path)
    for (fault, point) in FaultInjector.attempts(count, sample: 5) {
      let what = "\(fault) at \(point) of \(count)"
      try scene.change(what)
      let step = try injector.run(
        ["regenerate"], fault, at: point, on: "/mirror/", in: scene.deployment.folder.path)
      #expect(fault == .kill || step.status == 0, "\(what): \(step)")
      scene.expectWhole()
      #expect(try scene.deployment.seedbank("regenerate").errors.isEmpty, "\(what)")
      scene.expectEqual()
    }
  }

  @Test func `a second publisher with the same keys is detected before it publishes`() throws {
    let scene = try Scene()
    let twin = try scene.twin()
    let shown = scene.file("metadata/timestamp.json", in: scene.mirror)
    let config = "\(twin)/seedbank.json"
    let copy = PublicationDirectory("\(twin)/publication")
    let signed = try copy.metadata("timestamp.json")
    for command in [
      ["regenerate"], ["run", "--port", "0"], ["mirror", "check"], ["mirror", "push"],
      ["rollback", "--to", "3"],
      ["new-epoch", "--yes"], ["keys", "rotate", "timestamp"], ["keys", "renew", "root"],
    ] {
      let outcome = try SeedbankBinary.run(command + ["--config", config], in: scene.deployment.folder.path)
      #expect(
        outcome.status == 75 && outcome.errors.contains("seedbank recover"), "\(command): \(outcome.errors)")
    }
    #expect(scene.file("metadata/timestamp.json", in: scene.mirror) == shown)
    #expect(try copy.metadata("timestamp.json") == signed)
  }

  @Test func `a running publisher that was overtaken on two mirrors ends in order with 75`() throws {
    let scene = try Scene()
    try Folder.create(scene.deployment.folder("second"))
    try scene.name([scene.mirror, scene.deployment.folder("second")])
    #expect(try scene.deployment.seedbank("mirror", "push").status == 0)
    let twin = scene.deployment.folder("twin")
    try FileManager.default.copyItem(atPath: scene.deployment.folder("seedbank"), toPath: twin)
    let run = try RunningSeedbank(
      ["run", "--port", "0", "--config", "\(twin)/seedbank.json"], in: scene.deployment.folder.path)
    for words in [["keys", "renew", "root"], ["mirror", "push"]] {
      try SeedbankBinary.run(words, in: scene.deployment.folder.path).expect(0)
    }
    try scene.change("theirs")
    #expect(run.waitForEnd() == 75, "\(run.errors)")
    #expect(run.errors.contains("stopping because of another publisher") && !run.errors.contains("SIGTERM"))
    let history = ["status", "--history", "--json", "--config", "\(twin)/seedbank.json"]
    let newest = try SeedbankBinary.run(history, in: scene.deployment.folder.path).output.prefix { $0 != "}" }
    #expect(newest.contains(#""outcome":"refused""#), "\(newest)")
  }

  @Test func `a higher version does not help a publisher that lost the race`() throws {
    let scene = try Scene()
    let twin = try scene.twin()
    let shown = scene.file("metadata/timestamp.json", in: scene.mirror)
    // The second publisher signs two versions while the mirror is missing.
    try Folder.rename(scene.mirror, to: scene.mirror + "-away")
    let config = ["--config", "\(twin)/seedbank.json"]
    for text in ["theirs", "theirs again"] {
      try scene.change(text)
      #expect(try SeedbankBinary.run(["regenerate"] + config, in: scene.deployment.folder.path).status == 0)
    }
    try Folder.rename(scene.mirror + "-away", to: scene.mirror)
    for command in [["regenerate"], ["mirror", "push"]] {
      let outcome = try SeedbankBinary.run(command + config, in: scene.deployment.folder.path)
      #expect(
        outcome.status == 75 && outcome.errors.contains("this publisher did not write version")
          && outcome.errors.contains("run 'seedbank recover'. If there was never another"),
        "\(command): \(outcome)")
    }
    #expect(scene.file("metadata/timestamp.json", in: scene.mirror) == shown)
    let status = try SeedbankBinary.run(["status", "--check"] + config, in: scene.deployment.folder.path)
    #expect(status.output.ranges(of: "this publisher did not write version").count == 1, "\(status)")
    // The operator may overrule this.
    try SeedbankBinary.run(["mirror", "push", "--replace"] + config, in: scene.deployment.folder.path).expect(
      0)
    try scene.deployment.seedbank("regenerate").expect(
      75, "move the local publication folder away and run 'seedbank recover'")
  }

  @Test func `check and push report their results and the remedy`() throws {
    let scene = try Scene()
    let check = try scene.deployment.seedbank("mirror", "check")
    #expect(
      check.status == 0
        && check.output == "\(scene.mirror): writable, and honours conditional writes\n")
    #expect(try Folder.names(in: scene.mirror + "/metadata").isEmpty)
    #expect(try scene.deployment.seedbank("mirror", "push").output.hasPrefix("\(scene.mirror): "))
    #expect(try scene.deployment.seedbank("mirror", "push").output == "\(scene.mirror): up to date\n")
    try Folder.removeAll(scene.mirror + "/metadata")
    try scene.deployment.seedbank("mirror", "check").expect(78, "all mirrored files are gone")
    #expect(try scene.deployment.seedbank("mirror", "push").status == 0)
    scene.expectEqual()
    try Folder.removeAll(scene.mirror)
    for action in ["check", "push"] {
      try scene.deployment.seedbank("mirror", action).expect(78, "mount its disk, or create it")
    }
    let facts = scene.deployment.publication.facts
    #expect(facts.read(MirrorFacts.self)?.late.count == 1)
    let warnings = try scene.warnings
    #expect(warnings.contains("warning: the mirror \(scene.mirror): failing for "), "\(warnings)")
    try Folder.create(scene.mirror)
    try scene.deployment.seedbank("mirror", "push").expect(0)
    #expect(facts.read(MirrorFacts.self)?.late.count == 0)
  }

  @Test func `the article of commands names the members of status and verify in JSON`() throws {
    let (scene, folder) = (try Scene(), "\(Readme.package)/Sources/seedbank/seedbank.docc")
    let article = try String(contentsOfFile: "\(folder)/Commands.md", encoding: .utf8)
    let status = try #require(try scene.deployment.json("status").first)
    let mirror = try #require(status["mirrors"]?.elements?.first)
    let verification = try #require(try scene.deployment.json("verify").first)
    for member in [status, mirror, verification].compactMap(\.members).joined() {
      #expect(article.contains("`\(member.name)`"), "\(member.name)")
    }
  }

  @Test(arguments: [
    ("[\"/mnt\"]", "expected an object"), ("[{}]", "expected \"folder\""),
    ("[{\"folder\": \"\"}]", "not empty"),
    ("[{\"floder\": \"/mnt\"}]", "unknown key"), ("{}", "expected an array"),
    ("[{\"folder\": \"/mnt\"}, {\"folder\": \"/mnt\"}]", "expected each place once"),
    ("[{\"s3\": \"s3://seeds\"}]", "expected an address such as"),
    ("[{\"s3\": \"https://s3.example/seeds\", \"folder\": \"/mnt\"}]", "found both"),
    ("[{\"folder\": \"/mnt\", \"region\": \"x\"}]", "this mirror is a folder"),
    ("[{\"s3\": \"https://user:secret@s3.example/seeds\"}]", "expected an address such as"),
    ("[{\"s3\": \"https://s3.example/seeds\", \"style\": \"host\"}]", "virtual"),
  ])
  func `a mistake in the configuration of a mirror is reported`(entry: (text: String, message: String)) throws
  {
    let folder = try DeploymentFolder(deployment: "{\"datasets\": [\"transit\"], \"mirrors\": \(entry.text)}")
    let mistake = try folder.mistake()
    #expect(mistake.contains(entry.message) && !mistake.contains("secret@"), "\(mistake)")
  }
}
