import SeedFormat
import Support
import Testing

/// `doctor` on search tables, and on the files of other clients.
@Suite struct DoctorSearchTests {
  private let store: PulledStore

  init() throws {
    store = try PulledStore(
      with: "CREATE VIRTUAL TABLE shop_search USING fts5(name, content=shop, content_rowid=id)")
    try store.fill()
  }

  private static let stale = "INSERT INTO shop_search(shop_search) VALUES ('delete-all')"

  private func seed() throws -> String {
    try store.folder.succeed("export", "my", "--to", "other.sqlite")
    return store.folder("other.sqlite")
  }

  private func doctor(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["doctor", "other.sqlite"] + arguments, in: store.folder.path)
  }

  @Test func `doctor finds a stale search table in a store, and pull --verify repairs it`() throws {
    #expect(try store.doctor().status == 0)
    try Tool.sqlite(store.seed, Self.stale)
    try store.doctor().expect(65, output: #"the search table "shop_search" does not match its content"#)
    #expect(try store.pull("--store", "store", "--verify").status == 0)
    #expect(try store.doctor().status == 0)
  }

  @Test func `doctor checks one seed without changing it, and rejects --root for it`() throws {
    let file = try seed()
    let before = try Tool.run(["sha256sum", file])
    let outcome = try doctor().expect(0)
    #expect(outcome.output.hasPrefix("my/1: version 3") && outcome.output.hasSuffix("\nsound\n"))
    #expect(try doctor("--json").json()["data"]?["rows"]?.integer == 3)
    #expect(try Tool.run(["sha256sum", file]) == before)
    try doctor("--root", "seedbank/root.json").expect(64, "without signatures")
  }

  @Test(arguments: [
    (stale, "does not match its content"), ("UPDATE shop SET rank = 9", "do not match the stored sums"),
    (
      "UPDATE seedbank_meta SET value = '\(String(repeating: "0", count: 64))' WHERE key = 'digest'",
      "stored digest"
    ),
    ("CREATE INDEX other ON shop(rank)", "do not match the schema"),
    ("DROP TABLE seedbank_meta", "there is no table seedbank_meta"),
  ])
  func `doctor names the mistake of another client`(_ sql: String, _ problem: String) throws {
    try Tool.sqlite(seed(), sql)
    let outcome = try doctor().expect(65, output: problem)
    #expect(outcome.output.hasSuffix("not sound\n"))
  }
}
