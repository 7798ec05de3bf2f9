import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct BucketTroubleTests {
  private let scene: BucketScene

  init() throws { scene = try BucketScene() }

  @Test(
    .full,
    arguments: [
      ("403:RequestTimeTooSkewed", "The mirror's clock", "the clocks differ"),
      ("403:QuotaExceeded", "A full quota", "free some space there"),
      ("507:InsufficientStorage", "A full store", "free some space there"),
      ("503:SlowDown", "A store that is busy for minutes", "it answers 503 SlowDown"),
      ("500:InternalError", "A broken store", "it answers 500 InternalError"),
    ])
  func `each failure of the store is reported, stops no step, and is made up for afterwards`(
    trouble: (fault: String, what: String, message: String)
  ) throws {
    try scene.publish("before")
    try scene.bucket.arm("\(trouble.fault) before all")
    for text in ["one", "two"] {
      try scene.change(text)
      let step = try scene.seedbank("regenerate")
      #expect(step.status == 0 && step.errors.contains(trouble.message), "\(trouble.what): \(step.errors)")
      try scene.expectWhole("\(trouble.what), \(text)", isShown: false)
    }
    try scene.bucket.arm("503 before -1")
    try scene.publish("after")
    try scene.expectWhole(trouble.what)
  }

  @Test func `a step killed between any two requests leaves a complete mirror, and the next one converges`()
    throws
  {
    try scene.publish("before")
    for moment in ["before", "after"] {
      guard Stage.current > .quick else {
        #expect(try isKilled(moment, 3))
        continue
      }
      var number = 0
      while try isKilled(moment, number) { number += Stage.isDeep ? 1 : 3 }
      #expect(number > 2)
    }
  }

  /// Kills the command while it waits for the response to a request; returns false if it made fewer requests.
  private func isKilled(_ moment: String, _ number: Int) throws -> Bool {
    let what = "\(moment) request \(number)"
    try scene.change(what)
    try scene.bucket.arm("hang \(moment) \(number)")
    let process = try scene.start(["regenerate"])
    let isHit = try eventually("request \(number) comes, or the end") { () -> Bool? in
      if try scene.bucket.arm("").isMet { return true }
      return process.isRunning ? nil : false
    }
    process.end()
    try scene.bucket.arm("503 before -1")
    try scene.expectWhole(what, isShown: false)
    try scene.publish("after \(what)")
    try scene.expectWhole(what)
    return isHit
  }

  @Test func `the log of run reports failures and contains no secret`() throws {
    try scene.bucket.arm("403:AccessDenied before all")
    try scene.change("logged")
    let (file, token) = (scene.deployment.folder("credentials"), "an old token")
    func write(_ token: String = "") throws {
      let lines = scene.bucket.environment.map { "\($0.lowercased()) = \($1)\n" } + [token]
      try DurableFile.write(Array("[default]\n\(lines.joined())".utf8), to: file)
    }
    try write("aws_session_token = \(token)")
    let run = try RunningSeedbank(
      ["run", "--port", "0", "--log-format", "json", "--log-level", "debug"],
      in: scene.deployment.folder.path, environment: ["AWS_SHARED_CREDENTIALS_FILE": file])
    func waitForLog(_ words: String, times: Int = 1) throws {
      try waitUntil("\(words) is logged") { run.errors.split(separator: words).count > times }
    }
    try waitForLog("the credentials do not allow this")
    try write()
    try scene.bucket.arm("503 before -1")
    try waitForLog("is up to date again")
    try scene.bucket.arm("403:AccessDenied before all")
    try scene.change("refused again")
    try waitForLog("the credentials do not allow this", times: 2)
    try scene.bucket.arm("503 before -1")
    try waitForLog("is up to date again", times: 2)
    #expect(run.stop() == 0)
    for text in [run.output, run.errors] {
      #expect([scene.bucket.secret, scene.bucket.identity, token].allSatisfy { !text.contains($0) })
    }
    try scene.expectWhole("run")
  }

  @Test(arguments: [("--every=1", Int32(0)), ("--once", 1)])
  func `SIGTERM ends follow during a check that waits for the bucket`(end: (option: String, status: Int32))
    throws
  {
    try scene.bucket.arm("hang before all")
    let follower = try scene.start(
      ["follow", "s3://seeds/prod", "--root", "seedbank/root.json", "--to", "copy", end.option],
      ["AWS_ENDPOINT_URL_S3": "http://127.0.0.1:\(scene.bucket.port)"])
    try waitUntil("a check waits for the bucket") { try scene.bucket.arm("").isMet }
    #expect(try follower.stop() == .exited(end.status))
    #expect(follower.errors.contains("A check still waits for its source"), "\(follower.errors)")
  }

  @Test(.full) func `a broken mirror does not delay the other mirrors`() throws {
    let folder = scene.deployment.folder("mirror")
    try Folder.create(folder)
    try scene.deployment.name(mirrors: [
      ["folder": .string(scene.deployment.folder("nowhere"))],
      ["s3": .string(scene.bucket.address("seeds/prod"))], ["folder": .string(folder)],
    ])
    try scene.change("one")
    try scene.seedbank("regenerate").expect(0, "there is no such folder")
    try scene.expectWhole("the bucket beside a broken folder")
    try scene.bucket.arm("hang before all")
    func timestamp(in folder: String) -> [UInt8]? {
      try? DurableFile.read("\(folder)/metadata/timestamp.json", limit: 1 << 20)
    }
    for command in [["regenerate"], ["run", "--port", "0"]] {
      let shown = timestamp(in: folder)
      try scene.change(command[0])
      let process = try scene.start(command)
      try waitUntil("the good mirror shows the version of \(command[0]) beside two broken ones") {
        let now = timestamp(in: folder)
        return now != shown && now == timestamp(in: scene.deployment.publication.path)
      }
      #expect(process.isRunning, "the bucket's requests have not ended yet: \(process.errors)")
      process.end()
    }
  }
}

/// Two publisher processes with the same keys and one bucket.
@Suite struct BucketRaceTests {
  @Test(.full)
  func `if two publishers start at once, each version has one commit, and the loser suggests recover`()
    throws
  {
    let scene = try BucketScene()
    for race in 1...(Stage.isDeep ? 20 : 2) { try run(scene, race) }
  }

  @Test func `a mirror that shows another publisher while run drains ends run in order with 75`() throws {
    let scene = try BucketScene()
    try scene.publish("common")
    let own = scene.deployment.folder("own")
    try Folder.create(own)
    for name in ["my.sqlite", "seedbank"] {
      try FileManager.default.copyItem(atPath: scene.deployment.folder(name), toPath: "\(own)/\(name)")
    }
    let drain = ["SEEDBANK_HTTP_DRAIN_SECONDS": "1"]
    let run = try RunningSeedbank(
      ["run", "--port", "0"], in: own, environment: scene.bucket.environment.merging(drain) { $1 })
    for text in ["theirs", "theirs again"] { try scene.publish(text) }
    try scene.bucket.arm("hold before all")
    try Tool.sqlite("\(own)/my.sqlite", "UPDATE shop SET name = 'ours' WHERE id = 1")
    try waitUntil("run asks the mirror") { try scene.bucket.arm("").isMet }
    run.askToEnd()
    try waitUntil("run drains") { run.errors.contains("stopping because of SIGTERM") }
    try scene.bucket.arm("503 before -1")
    #expect(run.waitForEnd() == 75, "\(run.errors)")
  }

  private func run(_ scene: BucketScene, _ race: Int) throws {
    let place = "seeds/race\(race)"
    try scene.deployment.name(mirrors: [["s3": .string(scene.bucket.address(place))]])
    try scene.publish("common \(race)")
    let twin = scene.deployment.folder("twin")
    try Folder.removeAll(twin)
    try FileManager.default.copyItem(atPath: scene.deployment.folder("seedbank"), toPath: twin)
    let configs = ["seedbank/seedbank.json", "twin/seedbank.json"].map(scene.deployment.folder.callAsFunction)
    // Successive timestamps as a client gets them.
    var shown: [SHA256Digest] = []
    func look() throws {
      let now = try #require(try scene.timestamp(place))
      if now != shown.last { shown.append(now) }
    }
    for step in 1...3 {
      try scene.change("race \(race), step \(step)")
      let processes = try configs.map { try scene.start(["regenerate", "--config", $0]) }
      try waitUntil("both publishers end") {
        let haveEnded = !processes.contains(where: \.isRunning)
        try look()
        return haveEnded
      }
    }
    // Finally they run one after the other: the loser reports it.
    try scene.change("race \(race), the end")
    let outcomes = try configs.map { try scene.seedbank("regenerate", "--config", $0) }
    #expect(outcomes.map(\.status).sorted() == [0, 75], "\(race): \(outcomes)")
    let loser = try #require(outcomes.first { $0.status == 75 })
    #expect(loser.errors.contains("seedbank recover"), "\(loser)")
    let winner = outcomes[0].status == 0 ? "seedbank" : "twin"
    try look()
    let winning = PublicationDirectory(scene.deployment.folder("\(winner)/publication"))
    try expectOneLine(scene, place, shown, winning)
    if winner == "twin" {
      try Folder.removeAll(scene.deployment.folder("seedbank"))
      try Folder.rename(twin, to: scene.deployment.folder("seedbank"))
    }
  }

  /// Expects that each version was committed once, that the winner published all of them, and that clients saw no other
  /// timestamp and none again.
  private func expectOneLine(
    _ scene: BucketScene, _ place: String, _ shown: [SHA256Digest], _ winning: PublicationDirectory
  ) throws {
    let commits = try scene.bucket.commits(at: place)
    let timestamps = try commits.map { try Metadata<Timestamp>(parsing: $0).signed }
    let versions = timestamps.map(\.version)
    #expect(commits.count > 2 && versions == Set(versions).sorted(), "\(place): \(versions)")
    #expect(commits.map(SHA256Digest.of).filter(Set(shown).contains) == shown, "\(place)")
    #expect(try commits.last == winning.metadata("timestamp.json"), "\(place)")
    for timestamp in timestamps {
      // It determines all other files of the version.
      let name = MetadataName.versioned(SnapshotRole.type, timestamp.snapshot.version)
      let published = try #require(try winning.metadata(name), "\(place): \(name)")
      #expect(try scene.file("metadata/\(name)", in: place) == published, "\(place): \(name)")
    }
  }
}

struct BucketScene {
  let deployment: OperatedDeployment
  let bucket: TestBucket
  private static let place = "seeds/prod"

  init(isPublic: Bool = true, isCareless: Bool = false) throws {
    deployment = try OperatedDeployment()
    bucket = try TestBucket(isPublic: isPublic, isCareless: isCareless)
    try name(bucket.address(Self.place))
  }

  func name(_ address: String) throws { try deployment.name(mirrors: [["s3": .string(address)]]) }

  func change(_ text: String) throws {
    try deployment.origin("UPDATE shop SET name = '\(text)' WHERE id = 1")
  }

  /// Runs the command, with this secret or the right one, and expects that its output contains neither.
  func seedbank(_ arguments: String..., secret: String? = nil) throws -> ProgramOutcome {
    var environment = bucket.environment
    if let secret { environment["AWS_SECRET_ACCESS_KEY"] = secret }
    let outcome = try SeedbankBinary.run(arguments, environment: environment, in: deployment.folder.path)
    for word in [bucket.secret, secret ?? ""] where !word.isEmpty {
      #expect(!outcome.output.contains(word) && !outcome.errors.contains(word))
    }
    return outcome
  }

  func publish(_ text: String) throws {
    try change(text)
    let step = try seedbank("regenerate")
    #expect(step.status == 0 && !step.errors.contains("mirror"), "\(text): \(step.errors)")
  }

  func start(_ arguments: [String], _ environment: [String: String] = [:]) throws -> TestProgram {
    try TestProgram(
      [SeedbankBinary.path] + arguments, in: deployment.folder.path,
      environment: bucket.environment.merging(environment) { $1 }, isBare: true)
  }

  func timestamp(_ place: String) throws -> SHA256Digest? {
    try file("metadata/timestamp.json", in: place).map(SHA256Digest.of)
  }

  /// Returns a file as a client without credentials gets it.
  func file(_ path: String, in place: String = place) throws -> [UInt8]? {
    let answer = try RawClient(port: UInt16(bucket.port)).get("/\(place)/\(path)")
    return answer.status == 200 ? Array(answer.body) : nil
  }

  /// Expects that a client can follow the bucket's timestamp to all objects; with `isShown`, it is the newest one.
  /// Faults do not affect these requests.
  func expectWhole(_ what: String, isShown: Bool = true) throws {
    guard let root = try file("metadata/1.root.json") else {
      #expect(!isShown, "\(what): nothing is there")
      return
    }
    let published = try PublishedMetadata(root: root) { try file("metadata/\($0)") }
    for object in published.series.values.flatMap(\.metadata.objects) {
      #expect(try file(object.filePath).map(SHA256Digest.of) == object.sha256, "\(what): \(object.filePath)")
    }
    guard isShown else { return }
    let newest = try deployment.publication.metadata("timestamp.json").map(SHA256Digest.of)
    #expect(try timestamp(Self.place) == newest, "\(what)")
  }
}
