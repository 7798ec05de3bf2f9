import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// The process dies, or the disk fails or is full, at any file operation of a key change.
@Suite(.serialized) struct KeyFaultTests {
  /// Operations tried for each fault and command; a deep run tries all of them.
  private static let sample = 4

  private static let template = FolderTemplate()
  private let folder: TemporaryFolder
  private let injector: FaultInjector
  private let series: SeedSeries

  private var publication: PublicationDirectory { PublicationDirectory(folder("seedbank/publication")) }

  init() throws {
    (folder, injector) = (try TemporaryFolder(inMemory: true), try FaultInjector())
    series = try SeedSeries("my", major: 1)
    try Self.template.fill(folder, make)
  }

  private func make() throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop VALUES (1, 'a')")
    try folder.succeed("init", "my.sqlite")
    try folder.succeed("regenerate")
    try Tool.run(["cp", folder("seedbank/root.json"), folder("shipped.json")])
  }

  private static let changes = [
    ["rotate", "timestamp", "snapshot"], ["rotate", "targets", "series"], ["rotate", "root", "--count", "2"],
    ["renew", "root"], ["renew", "targets"],
  ]

  @Test(arguments: changes)
  func `a key change that fails at any file operation is made or not, and can be repeated`(
    _ command: [String]
  ) async throws {
    try await failEverywhere(["keys"] + command, turn: Self.changes.firstIndex(of: command))
  }

  @Test func `add-signature that fails at any file operation adds the signature or not`() async throws {
    try Tool.run(["mv", folder("seedbank/keys/root.key"), folder("root.key")])
    try folder.succeed("keys", "renew", "root", "--prepare")
    let payload = try folder.succeed("keys", "payload", "root")
    try folder.write(payload, to: "payload")
    let signature = try folder.succeed("keys", "sign", "payload", "--key", "root.key")
    try folder.write(signature, to: "signature")
    try await failEverywhere(["keys", "add-signature", "signature"])
  }

  @Test func `a killed rotation of a lost timestamp key is readable once it is repeated`() async throws {
    try Folder.remove(folder("seedbank/keys/timestamp.key"))
    let old = FolderClient(try shippedRoot())
    try await old.refresh(publication, series)
    try await killAndRepeat(["keys", "rotate", "timestamp"], on: "metadata/timestamp.json") { point in
      try await expectReadable(by: old, point)
    }
  }

  @Test func `a killed beginning of a new chain of trust is finished with its root for apps`() async throws {
    try Tool.run(["mv", folder("seedbank/keys/root.key"), folder("root.key")])
    try await killAndRepeat(["keys", "rotate", "root", "--lost", "--yes"], on: "seedbank/root.json") {
      point in
      let newest = try publication.metadata("\(publication.published().root.version).root.json")
      let shipped = try DurableFile.read(folder("seedbank/root.json"), limit: 1 << 20)
      #expect(shipped == newest, "\(point)")
    }
  }

  /// Kills the command at each operation on a file, and repeats it.
  private func killAndRepeat(
    _ command: [String], on file: String, _ check: (String) async throws -> Void
  ) async throws {
    try Tool.run(["cp", "-a", folder("seedbank"), folder("before")])
    let count = try injector.count(command, on: file, in: folder.path)
    #expect(count > 1)
    for point in 1...count {
      try restore()
      _ = try injector.run(command, .kill, at: point, on: file, in: folder.path)
      let again = try SeedbankBinary.run(command, in: folder.path)
      let isDone = again.errors.contains("Enough root keys are here")
      #expect(again.status == 0 || isDone, "\(point) of \(count): \(again.errors)")
      try await check("\(point) of \(count)")
    }
  }

  private func failEverywhere(_ command: [String], turn: Int? = nil) async throws {
    try Tool.run(["cp", "-a", folder("seedbank"), folder("before")])
    let old = FolderClient(try shippedRoot())
    try await old.refresh(publication, series)
    let count = try injector.count(command, in: folder.path)
    #expect(count > 20)
    print("\(command.joined(separator: " ")): \(count) operations")
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample, turn: turn) {
      try restore()
      let outcome = try injector.run(command, fault, at: point, in: folder.path)
      let what = "\(command) \(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
      try await expectReadable(by: old, what)
      try await expectConvergence(command, old, what)
    }
  }

  private func restore() throws {
    try folder.replace("seedbank", by: "before")
  }

  private func shippedRoot() throws -> [UInt8] {
    try DurableFile.read(folder("shipped.json"), limit: 1 << 20)
  }

  /// Expects that a returning client and a new one accept the publication.
  private func expectReadable(by old: FolderClient, _ what: String) async throws {
    for client in [old.copy(), FolderClient(try shippedRoot())] {
      do {
        try await client.refresh(publication, series)
      } catch {
        Issue.record("\(what): a client is refused: \(error)")
      }
    }
  }

  /// Repeats the command; afterwards no change is pending and publishing works.
  private func expectConvergence(_ command: [String], _ old: FolderClient, _ what: String) async throws {
    let again = try SeedbankBinary.run(command, in: folder.path)
    // A signature added by the first run is no longer requested.
    let isDone = command[1] == "add-signature" && again.errors.contains("No key change waits")
    #expect(again.status == 0 || isDone, "\(what): then \(again.errors)")
    try Tool.sqlite(folder("my.sqlite"), "UPDATE shop SET name = name || '.'")
    try folder.succeed("regenerate")
    try await expectReadable(by: old, what)
    let files = try Folder.names(in: folder("seedbank/keys"))
    #expect(!files.contains { $0.hasSuffix(".tmp") }, "\(what): \(files)")
    #expect(
      try Folder.names(in: folder("seedbank/state")).allSatisfy { $0 != "pending-keys.json" }, "\(what)")
    #expect(try folder.seedbank("verify").status == 0, "\(what)")
  }
}

final class FolderClient {
  private let root: [UInt8]
  private var files: [String: [UInt8]] = [:]

  init(_ root: [UInt8]) { self.root = root }

  func copy() -> FolderClient {
    let copy = FolderClient(root)
    copy.files = files
    return copy
  }

  func refresh(_ publication: PublicationDirectory, _ series: SeedSeries) async throws {
    let stored = StoredMetadata(read: { self.files[$0] }, persist: { self.files[$0] = $1 })
    _ = try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: stored, fetch: { name, _ in try publication.metadata(name) },
      now: .now())
  }
}
