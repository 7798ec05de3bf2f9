import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

/// The command is killed, or a file operation fails, at any point: the old or the new state remains, and the same
/// command converges.
@Suite(.serialized) struct FaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  static let sample = 12

  @Test func `a publisher that dies at any file operation leaves the old or the new version`() throws {
    let (scene, injector) = (try FaultScene(), try FaultInjector())
    try scene.restore("before", as: "seedbank")
    let count = try injector.count(FaultScene.regenerate, in: scene.folder.path)
    #expect(count > 60)
    for fault in FaultInjector.Fault.allCases {
      for point in FaultInjector.points(count, sample: Self.sample) {
        try scene.restore("before", as: "seedbank")
        let outcome = try injector.run(FaultScene.regenerate, fault, at: point, in: scene.folder.path)
        try expectPublication(
          scene, "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)")
      }
    }
  }

  private func expectPublication(_ scene: FaultScene, _ what: String) throws {
    let probe = PublicationProbe(publication: scene.publication)
    do {
      let found = try #require(try probe.head(scene.series), "\(what): nothing is published")
      #expect(
        found.rows == scene.old && found.version == 1 || found.rows == scene.new && found.version == 2,
        "\(what)")
      try SeedbankBinary.succeed(FaultScene.regenerate, in: scene.folder.path)
      let after = try #require(try probe.head(scene.series))
      #expect(after.rows == scene.new && after.version == 2, "\(what): the next run does not converge")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  @Test(arguments: [true, false])
  func `a client that dies at any file operation leaves a store that opens`(_ isFirstStart: Bool) throws {
    let (scene, injector) = (try FaultScene(), try FaultInjector())
    try scene.restore("before", as: "seedbank")
    let serve = ["serve", "--config", "seedbank/seedbank.json", "--port", "0"]
    let server = try RunningSeedbank(serve, in: scene.folder.path)
    let pull = [
      "pull", server.address, "--dataset", "my", "--model", "1.0", "--store", "store", "--root",
      "seedbank/root.json",
    ]
    try FileManager.default.createDirectory(atPath: scene.folder("old"), withIntermediateDirectories: true)
    if !isFirstStart {
      try SeedbankBinary.succeed(pull, in: scene.folder.path)
      try scene.restore("store", as: "old")
    }
    try SeedbankBinary.succeed(FaultScene.regenerate, in: scene.folder.path)
    try eventually("the front serves the new version", within: 60) {
      try Tool.run(["curl", "-s", "\(server.address)/v1/my"]).contains(#""head":2"#) ? true : nil
    }
    try scene.restore("old", as: "store")
    let count = try injector.count(pull, in: scene.folder.path)
    #expect(count > 20)
    for fault in FaultInjector.Fault.allCases {
      for point in FaultInjector.points(count, sample: Self.sample) {
        try scene.restore("old", as: "store")
        let outcome = try injector.run(pull, fault, at: point, in: scene.folder.path)
        let what = "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
        try expectStore(scene, pull, mayBeEmpty: isFirstStart, what)
      }
    }
  }

  private func expectStore(_ scene: FaultScene, _ pull: [String], mayBeEmpty: Bool, _ what: String) throws {
    do {
      let found = try storeRows(scene)
      #expect(found.map { $0 == scene.old || $0 == scene.new } ?? mayBeEmpty, "\(what)")
      try SeedbankBinary.succeed(pull, in: scene.folder.path)
      #expect(try storeRows(scene) == scene.new, "\(what): the next run does not converge")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  /// Returns the rows of the current generation after checking its digest, or `nil` without one.
  private func storeRows(_ scene: FaultScene) throws -> SeedRows? {
    guard let name = try? String(contentsOfFile: scene.folder("store/CURRENT"), encoding: .utf8) else {
      return nil
    }
    let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
    let file = scene.folder("store/generations/\(trimmed)/seed.sqlite")
    let header = try #require(try DurableFile.start(of: file, 20))
    #expect(header[18..<20] == [2, 2], "readers would block the writer: the file is not in WAL mode")
    let seed = try Connection(file, .reader)
    let schema = try SchemaReader(seed).schema()
    try SeedCheck(seed, schema).run()
    #expect(schema.indexes == ["item_by_code"])
    #expect(try SeedTables.meta(seed).schema == schema.hash)
    return try seedRows(seed, schema)
  }
}
