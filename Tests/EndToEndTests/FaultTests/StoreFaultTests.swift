import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// A client is killed, or a file operation fails, or the power fails, at any point: the store opens at a published
/// version, and the same command converges.
@Suite(.serialized) struct StoreFaultTests {
  /// Operations tried for each fault; a deep run tries all of them.
  static let sample = 8
  /// The fewest operations of each step; with fewer, it would not test the intended code.
  static let least: [StoreScene.Step: Int] = [
    .firstStart: 100, .swap: 100, .apply: applying, .applyByUpdatedApp: applying, .collect: 15,
  ]
  private static let applying = Stage.pick(quick: 80, full: 250, deep: 250)

  @Test(
    arguments: Stage.pick(
      quick: [.swap, .apply], full: StoreScene.Step.allCases, deep: StoreScene.Step.allCases))
  func `a client that dies at any file operation leaves a published version, and converges`(
    _ step: StoreScene.Step
  ) throws {
    let (scene, injector) = (try StoreScene.restored(step), try FaultInjector())
    let count = try injector.count(scene.pull, in: scene.folder.path)
    #expect(count >= Self.least[step] ?? 0, "\(step): \(count) operations")
    let turn = StoreScene.Step.allCases.firstIndex(of: step)
    let attempts = FaultInjector.attempts(count, sample: Self.sample, turn: turn)
    for (fault, point) in attempts {
      try scene.restore()
      let outcome = try injector.run(scene.pull, fault, at: point, in: scene.folder.path)
      try expect(scene, "\(step), \(fault) at \(point) of \(count), \(outcome.status): \(outcome.errors)")
    }
    print("\(step): \(count) operations, \(attempts.count) faults")
  }

  @Test func `a disk failure right after a swap does not reject the snapshot`() throws {
    let (scene, injector) = (try StoreScene.restored(.firstStart), try FaultInjector())
    let failed = try injector.run(
      scene.pull, failingReadsWith: scene.folder("store/CURRENT"), in: scene.folder.path)
    #expect(failed.status == 74 && failed.errors.contains("try again"), "\(failed.errors)")
    try expect(scene, "with the disk well again")
  }

  @Test(
    arguments: Stage.pick(
      quick: [StoreScene.Step.apply], full: [.firstStart, .apply], deep: [.firstStart, .apply]))
  func `an unreadable file is reported as a disk failure, and the data is not marked as bad`(
    _ step: StoreScene.Step
  ) throws {
    let (scene, injector) = (try StoreScene.restored(step), try FaultInjector())
    for further in [[], ["--verify"]] {
      let failed = try injector.run(
        scene.pull + further, failingReadsWith: scene.folder("seedbank/root.json"), in: scene.folder.path)
      #expect(failed.status == 74, "\(further): \(failed.errors)")
    }
    let marks = try Tool.run(["find", scene.folder("store"), "-name", "DAMAGED", "-o", "-name", "REJECTED"])
    #expect(marks.isEmpty)
    try expect(scene, "with the disk well again")
  }

  @Test(.full)
  func `a disk that fills up during a checkpoint loses no data, and the next update frees the log`() throws {
    let (scene, injector) = (try StoreScene.restored(.apply), try FaultInjector())
    let log = try injector.log(scene.pull, in: scene.folder.path)
    let first = try #require(log.firstIndex { $0.name == "write" && $0.path.hasSuffix("/seed.sqlite") })
    for point in [first, first + 1, first + 2] {
      try scene.restore()
      let outcome = try injector.run(scene.pull, .diskStaysFull, at: point + 1, in: scene.folder.path)
      #expect(outcome.status == 0, "the update counts: \(outcome.errors)")
      #expect(try scene.version(in: scene.folder("store")) == scene.head)
      #expect(try logBytes(scene) > 0)
      try expect(scene, "with room again")
      #expect(try logBytes(scene) == 0)
    }
  }

  private func logBytes(_ scene: StoreScene) throws -> Int {
    let generations = scene.folder("store/generations")
    return try Folder.names(in: generations).reduce(0) {
      $0 + (try FileStamp("\(generations)/\($1)/seed.sqlite-wal")?.size ?? 0)
    }
  }

  private func expect(_ scene: StoreScene, _ what: String) throws {
    let store = scene.folder("store")
    do {
      #expect(try scene.version(in: store) != nil || scene.step == .firstStart, "\(what): nothing counts")
      try SeedbankBinary.succeed(scene.pull, in: scene.folder.path)
      #expect(try scene.version(in: store) == scene.head, "\(what): the next run does not converge")
      let generations = try Folder.names(in: "\(store)/generations").count
      #expect(generations <= 2, "\(what): \(generations) generations are left")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  // MARK: Power loss

  /// The number of restarts with some of the unsynced changes, in addition to those without any.
  static let mixtures = 40

  @Test(
    arguments: Stage.pick(quick: [.apply], full: StoreScene.Step.allCases, deep: StoreScene.Step.allCases))
  func `a power loss at any point loses no version that became current`(_ step: StoreScene.Step) throws {
    let (scene, injector) = (try StoreScene.restored(step), try FaultInjector())
    let log = try injector.log(scene.pull, in: scene.folder.path)
    var disk = try ForgetfulDisk(scene.folder("saved"), root: scene.folder("store"))
    let seed = Stage.seed
    var chance = SplitMix(seed: seed)
    var (reached, seen) = (SeedVersion?.none, -1)
    let mixed = Set(FaultInjector.points(log.count, sample: Self.mixtures))
    if step != .firstStart { reached = .first }
    for (index, operation) in log.enumerated() {
      disk.perform(operation.under(scene.folder.path))
      let what = "\(step), after \(index + 1) of \(log.count) operations, seed \(seed)"
      if disk.generation != seen {
        seen = disk.generation
        reached = try restart(disk, scene, nil, notBefore: reached, what)
      }
      if mixed.contains(index + 1) {
        _ = try restart(disk, scene, SplitMix(seed: chance.next()), notBefore: reached, what + ", in part")
      }
    }
    #expect(reached == scene.head, "\(step): a version that was reported is lost")
    print("\(step): \(log.count) prefixes, \(seen) syncs, \(mixed.count) mixtures")
  }

  @Test func `the simulated disk loses the update if every sync is missing`() throws {
    let (scene, injector) = (try StoreScene.restored(.swap), try FaultInjector())
    let log = try injector.log(scene.pull, in: scene.folder.path)
    var disk = try ForgetfulDisk(scene.folder("saved"), root: scene.folder("store"))
    for operation in log where operation.name != "sync" { disk.perform(operation.under(scene.folder.path)) }
    #expect(try restart(disk, scene, nil, notBefore: nil, "without syncs") == .first)
  }

  private func restart(
    _ disk: ForgetfulDisk, _ scene: StoreScene, _ chance: SplitMix?, notBefore reached: SeedVersion?,
    _ what: String
  ) throws -> SeedVersion? {
    let store = try TemporaryFolder(inMemory: true)
    var chance = chance
    do {
      try disk.restart(in: store("store"), chance: &chance)
      let found = try scene.version(in: store("store"))
      let isKept = reached.map { reached in found.map { $0 >= reached } ?? false } ?? true
      #expect(isKept, "\(what): \(found as Any) after \(reached as Any)")
      return found ?? reached
    } catch {
      Issue.record("\(what): \(error)")
      return reached
    }
  }
}
