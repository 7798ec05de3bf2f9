import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct DoctorCommandTests {
  let store: PulledStore

  init() throws { store = try PulledStore(filled: ()) }

  @Test func `doctor describes a sound store without changing a file of it, even while it is in use`() throws
  {
    // Without this checkpoint, SQLite keeps the readers' shared memory file.
    try Tool.sqlite(store.seed, "PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try listing()
    let outcome = try store.doctor("--root", "seedbank/root.json")
    #expect(outcome.status == 0 && outcome.output.hasSuffix("sound\n"), "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("my/1: version 3") && outcome.errors.isEmpty)
    let json = try store.doctor("--root", "seedbank/root.json", "--json").json()
    #expect(json["sound"]?.bool == true && json["findings"]?.elements == [])
    #expect(json["data"]?["rows"]?.integer == 3 && json["data"]?["version"]?.integer == 3)
    #expect(try listing() == before)
    let lock = try File(store.folder("store/LOCK"), for: .updating)
    #expect(try lock.tryLock())
    #expect(try store.doctor("--root", "seedbank/root.json").status == 0)
    lock.unlock()
  }

  @Test func `a root of another publisher is an error, and without --root, doctor warns`() throws {
    try store.doctor().expect(0, output: "warning: trust: the signatures were not verified")
    try store.folder.succeed("init", "my.sqlite", "--directory", "other")
    try store.doctor("--root", "other/root.json").expect(65, output: "error: trust: ")
  }

  @Test func `a newer root in the store is trusted only if the given root's keys signed it`() throws {
    func other(_ words: String...) throws {
      try SeedbankBinary.succeed(words + ["--config", "other/seedbank.json"], in: store.folder.path)
    }
    try store.folder.succeed("init", "my.sqlite", "--directory", "other")
    try store.folder.replace("first.json", by: "other/root.json")
    try other("regenerate")
    let host = try FolderHost(store.folder("other/publication"))
    func doctor(_ root: String) throws -> ProgramOutcome {
      try store.folder.seedbank("doctor", "forged", "--root", root)
    }
    // The keys of the first root sign all but the last one.
    for (change, status) in [("renew", 0), ("renew", 0), ("rotate", 0), ("renew", 65)] as [(String, Int32)] {
      try other("keys", change, "root")
      try store.folder.succeed(
        "pull", host.address, "--dataset", "my", "--model", "1.0", "--root", "first.json", "--store", "forged"
      )
      try doctor("seedbank/root.json").expect(65, output: "error: trust: root metadata has 0 of")
      try doctor("first.json").expect(
        status, output: status == 0 ? "sound" : "the publisher's newest root.json")
      try doctor("other/root.json").expect(0)
    }
  }

  @Test func `a pipe in place of the data is reported, and the next update replaces it`() throws {
    try Tool.run(["rm", store.seed])
    try Tool.run(["mkfifo", store.seed])
    try store.doctor().expect(65, output: "not a regular file")
    #expect(try store.pull("--store", "store").status == 0)
    #expect(try store.doctor().status == 0)
  }

  @Test func `doctor finds forged rows by the stored sums, and pull --verify repairs them, as it advises`()
    throws
  {
    try Tool.sqlite(store.seed, "UPDATE shop SET name = 'forged' WHERE id = 1")
    try store.doctor("--root", "seedbank/root.json").expect(
      65, output: "do not match the stored sums", "'seedbank pull --verify'")
    try store.pull("--store", "store", "--verify", "--json").expect(
      0, "is damaged", output: #""warnings":[""#)
    #expect(try store.doctor("--root", "seedbank/root.json").status == 0)
    let again = try store.pull("--store", "store", "--verify")
    #expect(again.output.contains("is the newest") && again.errors.isEmpty)
  }

  @Test func `rows with forged sums and digest are found by signed metadata`() throws {
    try Tool.sqlite(store.seed, "UPDATE shop SET name = 'forged' WHERE id = 1")
    try forgeDigest()
    try store.doctor("--root", "seedbank/root.json").expect(65, output: "differs from the one signed")
  }

  @Test func `doctor names a damaged page, a lost generation, and a bad or lost pointer`() throws {
    try Tool.sqlite(store.seed, "PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: store.seed))
    try file.seek(toOffset: 4096)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 8192))
    try file.close()
    let damaged = try store.doctor("--root", "seedbank/root.json").expect(65, output: "error: generations/")
    #expect(damaged.output.split(separator: "\n").count < 10, "\(damaged.output)")
    try FileManager.default.removeItem(atPath: store.generation)
    #expect(try store.doctor().output.contains("error: CURRENT: it names"))
    try store.folder.write("../../etc", to: "store/CURRENT")
    #expect(try store.doctor().output.contains("error: CURRENT: it does not name a generation"))
    try store.folder.remove("store/CURRENT")
    #expect(try store.doctor().output.contains("error: CURRENT: it is missing"))
  }

  @Test func `without a store or before its first data, doctor ends with 74 and creates nothing`() throws {
    try store.folder.seedbank("doctor", "nothing").expect(74, "There is no store in")
    #expect(!store.folder.exists("nothing"))
    let pull = try SeedbankBinary.run(
      SeedbankBinary.pull("http://127.0.0.1:9", into: "empty"), in: store.folder.path)
    try #require(pull.status == 69)
    try store.folder.seedbank("doctor", "empty").expect(74, "has no data yet: update it")
  }

  private func listing() throws -> String {
    try Tool.run(["find", "store", "-type", "f", "-exec", "sha256sum", "{}", "+"], in: store.folder.path)
  }

  /// Makes the file consistent with its rows, as an attacker on the device could.
  private func forgeDigest() throws {
    let connection = try Connection(store.seed, .writer)
    let schema = try SchemaReader(connection).schema()
    let sums = try SeedCheck(connection, schema).sums()
    for (name, sum) in sums { try SeedTables.store(sum, of: name, connection) }
    var meta = try SeedTables.meta(connection)
    meta.digest = StateDigest.of(sums)
    try SeedTables.store(meta, connection)
  }
}
