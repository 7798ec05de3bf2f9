import SeedFormat
import Support
import Testing

/// `doctor` on search tables, and on the files of other clients.
@Suite struct DoctorSearchTests {
  private let store: PulledStore

  init() throws {
    store = try PulledStore(
      with: "CREATE VIRTUAL TABLE shop_search USING fts5(name, content=shop, content_rowid=id)")
  }

  private static let stale = "INSERT INTO shop_search(shop_search) VALUES ('delete-all')"

  /// A change that another client makes by mistake, and its name.
  private static let mistakes = [
    (stale, "does not match its content"), ("UPDATE shop SET rank = 9", "do not match the stored sums"),
    (
      "UPDATE seedbank_meta SET value = '\(String(repeating: "0", count: 64))' WHERE key = 'digest'",
      "stored digest"
    ),
    ("CREATE INDEX other ON shop(rank)", "do not match the schema"),
    ("DROP TABLE seedbank_meta", "there is no table seedbank_meta"),
  ]

  private func doctor(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["doctor"] + arguments, in: store.folder.path)
  }

  @Test func `doctor finds a stale search table in a store, and pull --verify repairs it`() throws {
    try store.fill()
    #expect(try store.doctor().status == 0)
    try Tool.sqlite(store.seed, Self.stale)
    try store.doctor().expect(65, output: #"the search table "shop_search" does not match its content"#)
    #expect(try store.pull("--store", "store", "--verify").status == 0)
    #expect(try store.doctor().status == 0)
  }

  @Test
  func
    `doctor checks one seed without changing it, rejects --root for it, and names mistakes of other clients`()
    throws
  {
    try store.folder.succeed("export", "--dataset", "my", "--to", "sound.sqlite")
    let before = try Tool.run(["sha256sum", store.folder("sound.sqlite")])
    let outcome = try doctor("sound.sqlite").expect(0)
    #expect(outcome.output.hasPrefix("my/1: version 3") && outcome.output.hasSuffix("\nsound\n"))
    #expect(try doctor("sound.sqlite", "--json").json()["data"]?["rows"]?.integer == 3)
    #expect(try Tool.run(["sha256sum", store.folder("sound.sqlite")]) == before)
    try doctor("sound.sqlite", "--root", "seedbank/root.json").expect(64, "without signatures")
    for (number, (sql, problem)) in Self.mistakes.enumerated() {
      let name = "mistake-\(number).sqlite"
      try Tool.run(["cp", store.folder("sound.sqlite"), store.folder(name)])
      try Tool.sqlite(store.folder(name), sql)
      let outcome = try doctor(name).expect(65, output: problem)
      #expect(outcome.output.hasSuffix("not sound\n"), "\(sql)")
    }
  }
}
