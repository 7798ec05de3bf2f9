import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem
import Support
import Testing

/// Imports in batches that were broken off, and what comes after them.
@Suite struct ImportResumeTests {
  private static let lines = ImportMapping("item", layout: .lines)

  private static func rows(_ numbers: ClosedRange<Int>, _ text: String = "a") -> String {
    numbers.map { #"{"id":\#($0),"n":"\#(text)"}"# + "\n" }.joined()
  }

  private func bench(_ schema: String = "") throws -> ImportBench {
    try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT NOT NULL); \(schema)")
  }

  private func batches(_ bench: ImportBench, _ rows: Int = 2) -> ImportPolicy {
    ImportPolicy(atomicity: .batched(rows: rows, cursor: ImportCursor.path(beside: bench.path)))
  }

  /// Three good rows in batches of two, and one that ends the import.
  private func breakOff(_ bench: ImportBench, _ mapping: ImportMapping = Self.lines) throws {
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(
        Self.rows(1...3) + #"{"id":4,"n":null}"#, mapping: mapping, policy: batches(bench), pieces: 7)
    }
    #expect(failure?.message.contains("2 rows of the documents were committed before and stay") == true)
  }

  private func hasCursor(_ bench: ImportBench) -> Bool {
    Folder.exists(ImportCursor.path(beside: bench.path))
  }

  @Test(arguments: [1, 2, 3, 1000])
  func `the same import goes on where it was, says so and counts the rest`(pieces: Int) throws {
    let bench = try bench()
    try breakOff(bench)
    var hooks = ImportHooks()
    var resumed: [String] = []
    hooks.resumed = { resumed.append("\($0.document) \($0.row)") }
    let report = try bench.run(
      Self.rows(1...5), mapping: Self.lines, policy: batches(bench), hooks: hooks, pieces: pieces)
    #expect(resumed == ["document 0 2"])
    #expect((report.rowsTakenBefore, report.rows) == (2, 3))
    #expect(report.tables["item"]?.inserted == 3)
    #expect(try bench.rows("SELECT count(*) FROM item") == ["5"])
    #expect(!hasCursor(bench))
  }

  @Test func `a line that is no JSON is a row of a batch, and the same import goes on behind it`() throws {
    let bench = try bench()
    let start = Self.rows(1...1) + "{\n{\n" + Self.rows(2...2) + "x\n"
    var policy = batches(bench)
    policy.badRows = .skip(max: 3)
    #expect(throws: ImportFailure.self) {
      try bench.run(start + "{}\n{}\n", mapping: Self.lines, policy: policy, pieces: 7)
    }
    #expect(try bench.rows("SELECT id FROM item") == ["1", "2"])
    policy.badRows = .collect
    let report = try bench.run(start + "{\n", mapping: Self.lines, policy: policy, pieces: 7)
    #expect((report.rowsTakenBefore, report.rows) == (4, 2))
  }

  @Test func `a document that began otherwise is refused, and nothing of it is passed over or taken in`()
    throws
  {
    let bench = try bench()
    try breakOff(bench)
    let other = Self.rows(1...1, "b") + Self.rows(12...15)
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(other, mapping: Self.lines, policy: batches(bench))
    }
    #expect(failure?.code == .document)
    #expect(failure?.message.contains("app.sqlite.import-cursor") == true)
    #expect(failure?.message.contains("this import has other documents") == true)
    #expect(try bench.rows("SELECT id, n FROM item") == ["1|a", "2|a"])
    #expect(hasCursor(bench))
  }

  @Test func `a document that ends within the rows that are in is refused`() throws {
    let bench = try bench()
    try breakOff(bench)
    for text in [Self.rows(1...1), ""] {
      let failure = #expect(throws: ImportFailure.self) {
        try bench.run(text, mapping: Self.lines, policy: batches(bench))
      }
      #expect(failure?.message.contains("documents of this import are shorter") == true)
    }
  }

  @Test(arguments: [
    TableMapping("other"), TableMapping("item", columns: ["n": "m"]),
    TableMapping("item", columns: ["n": .from("n", .text)]), TableMapping("item", names: .snakeToCamel),
    TableMapping("item", constants: ["n": .text("1")]), TableMapping("item", constants: ["n": .integer(1)]),
    TableMapping("item", defaults: ["n": .text("x")]),
  ])
  func `another mapping is refused before anything is read`(table: TableMapping) throws {
    let bench = try bench("CREATE TABLE other(id INTEGER PRIMARY KEY, n)")
    try breakOff(bench)
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(
        Self.rows(1...5), mapping: ImportMapping(table, layout: .lines), policy: batches(bench))
    }
    #expect(failure?.message.contains("another mapping or other tables") == true, "\(table)")
  }

  @Test func `several documents are known again by what was read of each`() throws {
    let bench = try bench()
    let mapping = ImportMapping("item")
    let good = ["[{\"id\":1,\"n\":\"a\"}]", "[{\"id\":2,\"n\":\"a\"},{\"id\":3,\"n\":\"a\"}]"]
    let policy = batches(bench, 1)
    #expect(throws: ImportFailure.self) {
      try bench.run(documents: (good + ["[{}]"]).map { Array($0.utf8) }, mapping: mapping, policy: policy)
    }
    let moved = ["[{\"id\":1,\"n\":\"a\"} ]", good[1]]
    #expect(throws: ImportFailure.self) {
      try bench.run(documents: moved.map { Array($0.utf8) }, mapping: mapping, policy: policy)
    }
    let report = try bench.run(documents: good.map { Array($0.utf8) }, mapping: mapping, policy: policy)
    #expect((report.rowsTakenBefore, report.rows) == (3, 0))
  }

  @Test func `lines that were refused before are passed over with the rows around them`() throws {
    let bench = try bench()
    var policy = batches(bench)
    policy.badRows = .skip(max: 1)
    let start = "{\"id\":1,\"n\":\"a\"}\n{x\n{\"id\":2,\"n\":\"a\"}\n"
    #expect(throws: ImportFailure.self) {
      try bench.run(start + "{y\n", mapping: Self.lines, policy: policy)
    }
    let report = try bench.run(start + Self.rows(3...3), mapping: Self.lines, policy: policy)
    #expect(report.issueCount == 0)
    #expect(try bench.rows("SELECT id FROM item") == ["1", "2", "3"])
  }

  @Test func `a crash between a commit and its note repeats the batch`() throws {
    let bench = try bench()
    let path = ImportCursor.path(beside: bench.path)
    let text = Self.rows(1...2) + "{}"
    var hooks = ImportHooks()
    var announced: [UInt8]?
    hooks.statement = {
      if $0 == "COMMIT", announced == nil { announced = try? DurableFile.read(path, limit: 9999) }
    }
    #expect(throws: ImportFailure.self) {
      try bench.run(text, mapping: Self.lines, policy: batches(bench), hooks: hooks)
    }
    try DurableFile.write(try #require(announced), to: path)
    let report = try bench.run(Self.rows(1...3), mapping: Self.lines, policy: batches(bench))
    #expect(report.rowsTakenBefore == 0)
    #expect((report.tables["item"]?.unchanged, report.tables["item"]?.inserted) == (2, 1))
    #expect(!hasCursor(bench))
  }

  @Test func `a file that is no cursor is refused with its name`() throws {
    let bench = try bench()
    try DurableFile.write(Array(#"{"document":"a","row":1}"#.utf8), to: ImportCursor.path(beside: bench.path))
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(Self.rows(1...1), mapping: Self.lines, policy: batches(bench))
    }
    #expect(failure?.message.contains("import-cursor is not a cursor of an import: remove it") == true)
  }

  // MARK: What only the whole can show

  private static let family = """
    CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);
    CREATE TABLE t(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id));
    """
  private static let children = (1...9).map { #"{"id":\#($0),"p":\#($0)}"# + "\n" }.joined()
  private static let childLines = ImportMapping("t", layout: .lines)

  @Test func `references of earlier batches are checked by every run until they lead somewhere`() throws {
    let bench = try ImportBench(Self.family)
    for _ in 0..<2 {
      let failure = #expect(throws: ImportFailure.self) {
        try bench.run(Self.children, mapping: Self.childLines, policy: batches(bench, 3))
      }
      #expect(failure?.code == .references)
      #expect(failure?.message.contains("9 rows of the documents were committed before and stay") == true)
      #expect(hasCursor(bench))
    }
    let whole = #expect(throws: ImportFailure.self) {
      try bench.run(Self.children, mapping: Self.childLines)
    }
    #expect(whole?.code == .references)
    try bench.execute("INSERT INTO p VALUES (2), (3), (4), (5), (6), (7), (8), (9)")
    try bench.run(Self.children, mapping: Self.childLines, policy: batches(bench, 3))
    #expect(!hasCursor(bench))
  }

  @Test func `another import does not call success what a broken one left, nor takes its cursor away`() throws
  {
    let bench = try ImportBench(Self.family)
    #expect(throws: ImportFailure.self) {
      try bench.run(Self.children, mapping: Self.childLines, policy: batches(bench, 3))
    }
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(#"[{"id":1}]"#, mapping: ImportMapping("p"))
    }
    #expect(failure?.code == .references)
    #expect(failure?.message.contains("app.sqlite.import-cursor, are checked") == true)
    try bench.run(
      "[\((1...9).map { "{\"id\":\($0)}" }.joined(separator: ","))]", mapping: ImportMapping("p"))
    #expect(hasCursor(bench))
    try bench.run(Self.children, mapping: Self.childLines)
    #expect(!hasCursor(bench), "the import was done again as a whole")
  }

  @Test(arguments: [true, false])
  func `search tables find what earlier batches brought`(inBatches: Bool) throws {
    let bench = try bench("CREATE VIRTUAL TABLE search USING fts5(n, content='item', content_rowid='id');")
    try breakOff(bench)
    let policy = inBatches ? batches(bench) : ImportPolicy()
    let text = inBatches ? Self.rows(1...3) : Self.rows(1...2)
    try bench.run(text, mapping: Self.lines, policy: policy)
    #expect(try bench.rows("SELECT rowid FROM search WHERE search MATCH 'a'").prefix(2) == ["1", "2"])
    #expect(!hasCursor(bench))
  }
}
