import SeedFormat
import SeedSystem
import Support
import Testing

/// A follower is killed, or its disk fails or is full, at any file operation of an update: it serves the complete old
/// or the complete new publication.
@Suite(.serialized) struct FollowFaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  private static let sample = 8

  private let scene: FollowScene
  private let injector: FaultInjector

  init() throws { (scene, injector) = (try FollowScene(), try FaultInjector()) }

  @Test func `a first update that fails at any file operation leaves nothing or a complete copy`() throws {
    try failEverywhere(old: nil)
  }

  @Test(.full) func `a later update that fails at any file operation leaves the old or the new version`()
    throws
  {
    try scene.follow()
    try scene.publish("newer", "--snapshot")
    try scene.folder.succeed("keys", "rotate", "timestamp")
    try scene.folder.endGrace(in: "copy/.follow")
    try failEverywhere(old: 3)
  }

  private func failEverywhere(old: Int?) throws {
    try save()
    let count = try injector.count(scene.once, on: "copy", in: scene.folder.path)
    #expect(count > 20)
    print("look after version \(old ?? 0): \(count) operations")
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample) {
      try restore()
      let outcome = try injector.run(scene.once, fault, at: point, on: "copy", in: scene.folder.path)
      let what = "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
      try expectOldOrNew(old, what)
      try scene.follow()
      try scene.expectSame(what)
      try expectNothingLeft(what)
    }
  }

  private func expectOldOrNew(_ old: Int?, _ what: String) throws {
    guard scene.folder.exists("copy/metadata/timestamp.json") else {
      #expect(old == nil, "\(what)")
      return
    }
    let head = try PublicationProbe(publication: scene.copy).head(scene.series)
    #expect(head?.version == old || head?.version == (old == nil ? 3 : 4), "\(what)")
  }

  private func expectNothingLeft(_ what: String) throws {
    #expect(try scene.files(scene.copy).keys.filter { $0.hasSuffix(".tmp") } == [], "\(what)")
    #expect(try Folder.names(in: scene.folder("copy/.follow/parts")) == [], "\(what)")
  }

  private func save() throws {
    try Tool.run(["rm", "-rf", scene.folder("before")])
    if scene.folder.exists("copy") {
      try Tool.run(["cp", "-a", scene.folder("copy"), scene.folder("before")])
    }
  }

  private func restore() throws {
    try Tool.run(["rm", "-rf", scene.folder("copy")])
    if scene.folder.exists("before") {
      try Tool.run(["cp", "-a", scene.folder("before"), scene.folder("copy")])
    }
  }
}
