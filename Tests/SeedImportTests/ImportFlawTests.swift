import SeedFormat
import SeedImport
import Support
import Testing

/// Rows with invalid strings, and CSV records that are not rows.
@Suite struct ImportFlawTests {
  private func bench() throws -> ImportBench {
    try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT)")
  }

  private static let bad: [[UInt8]] = [
    [0xE9], [0xED, 0xA0, 0x80], Array(#"\ud83d"#.utf8), Array(#"\q"#.utf8), Array(#"\""#.utf8) + [0xFF],
  ]

  /// Good rows around one with an invalid value and one with an invalid name.
  private func document(_ bad: [UInt8], isLines: Bool) -> [UInt8] {
    let rows: [[UInt8]] = [
      Array(#"{"id":1,"n":"a"}"#.utf8), Array(#"{"id":2,"n":""#.utf8) + bad + Array(#""}"#.utf8),
      Array(#"{"id":3,"n":"c"}"#.utf8), Array(#"{"id":4,"n"#.utf8) + bad + Array(#"":1}"#.utf8),
      Array(#"{"id":5,"n"#.utf8) + bad + Array(#"":1}"#.utf8), Array(#"{"id":6,"n":"d"}"#.utf8),
    ]
    guard isLines else { return [0x5B] + Array(rows.joined(separator: [0x2C])) + [0x5D] }
    return Array(rows.joined(separator: [0x0A]))
  }

  @Test(arguments: [1, 2, 3, 7, 10_000])
  func `an invalid string rejects only its row, in pieces of any size`(pieces: Int) throws {
    for bad in Self.bad {
      for layout in [ImportMapping.Layout.array, .lines] {
        let bench = try bench()
        var rejected: [ImportReject] = []
        var hooks = ImportHooks()
        hooks.rejected = { rejected.append($0) }
        try bench.run(
          documents: [document(bad, isLines: layout == .lines)],
          mapping: ImportMapping("item", layout: layout),
          policy: ImportPolicy(badRows: .collect), hooks: hooks, pieces: pieces)
        #expect(try bench.rows("SELECT id FROM item") == ["1", "3", "6"], "\(bad)")
        #expect(rejected.map(\.issue.row) == [2, 4, 5])
        #expect(rejected.allSatisfy { $0.value.first == 0x22 && $0.issue.code == .malformed })
      }
    }
  }

  @Test(arguments: [1, 2, 3, 10_000])
  func `an invalid name in a dictionary rejects only its row, in pieces of any size`(pieces: Int) throws {
    let mapping = ImportMapping("item", layout: .dictionary(keyColumn: "id"))
    for bad in Self.bad {
      let bench = try ImportBench("CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, n TEXT)")
      let member = Array(#", "k"#.utf8) + bad + Array(#"": {"n": "b"}"#.utf8)
      let document = Array(#"{"a": {"n": "a"}"#.utf8) + member + member + Array(#", "c": {"n": "c"}}"#.utf8)
      var rejected: [ImportReject] = []
      var hooks = ImportHooks()
      hooks.rejected = { rejected.append($0) }
      try bench.run(
        documents: [document], mapping: mapping, policy: ImportPolicy(badRows: .collect), hooks: hooks,
        pieces: pieces)
      #expect(try bench.rows("SELECT id FROM item") == ["a", "c"], "\(bad)")
      #expect(rejected.map(\.issue.row) == [2, 3])
      #expect(Set(rejected.map(\.issue.message)) == ["the row's name is not valid text"])
    }
  }

  @Test func `a line that is not JSON is one bad row and kept whole, even with a carriage return in it`()
    throws
  {
    let bench = try bench()
    var rejected: [ImportReject] = []
    var hooks = ImportHooks()
    hooks.rejected = { rejected.append($0) }
    let report = try bench.collect(
      "{\"id\":1}\r\n{\"id\":\n{\"id\":2}\nnonsense\n{\"id\":3}\n{x\r y}\r\n[",
      mapping: ImportMapping("item", layout: .lines), hooks: hooks, pieces: 3)
    #expect(
      rejected.map { String(decoding: $0.value, as: UTF8.self) } == [
        #""{\"id\":""#, #""nonsense""#, #""{x\r y}""#, #""[""#,
      ])
    #expect(try bench.rows("SELECT id FROM item") == ["1", "2", "3"])
    #expect(report.issues.allSatisfy { $0.code == .malformed && $0.key == nil })
    #expect(report.issues.map(\.row) == [2, 4, 6, 7])
    #expect(report.issues.prefix(3).map(\.line) == [2, 4, 6])
    let long = "{x" + String(repeating: "y", count: 17 * 1024 * 1024)
    let failure = #expect(throws: ImportFailure.self) {
      try bench.collect(
        long, mapping: ImportMapping("item", layout: .lines), hooks: hooks, pieces: 8 * 1024 * 1024)
    }
    #expect(failure?.code == .document)
  }

  @Test func `a line that is not JSON belongs to its document's list, whichever rows came before`() throws {
    let mapping = ImportMapping(lists: [
      .init("item", layout: .lines, file: "document 0"),
      .init("other", layout: .lines, where: [RowCondition("n", in: [.text("a")])], file: "document 1"),
      .init("item", layout: .lines, file: "document 1"),
    ])
    let bench = try bench()
    try bench.execute("CREATE TABLE other(id INTEGER PRIMARY KEY, n TEXT)")
    var rejected: [ImportReject] = []
    var hooks = ImportHooks()
    hooks.rejected = { rejected.append($0) }
    let report = try bench.collect("{}\n{\n", "nonsense\n{\"id\":\"x\"}\n{", mapping: mapping, hooks: hooks)
    #expect(rejected.map(\.list) == [0, 0, 1, 2, 1])
    #expect(rejected.map(\.issue.table) == ["item", "item", "other", "item", "other"])
    #expect(report.rows == 5)
  }

  @Test func `an invalid string ends the import if bad rows are not allowed or if it is outside the rows`()
    throws
  {
    for bad in Self.bad {
      let failure = #expect(throws: ImportFailure.self) {
        try bench().run(documents: [document(bad, isLines: false)], mapping: ImportMapping("item"))
      }
      #expect(failure?.code == .document)
      #expect(failure?.message.contains("in row 2") == true)
      let aside = Array(#"{"x":["#.utf8) + [0x22] + bad + [0x22] + Array(#"],"a":[{"id":1}]}"#.utf8)
      #expect(throws: ImportFailure.self) {
        try bench().run(
          documents: [aside], mapping: ImportMapping("item", rows: "a"),
          policy: ImportPolicy(badRows: .collect))
      }
    }
  }

  @Test(arguments: [1, 5, 10_000])
  func `CSV records are reported with their lines, in pieces of any size`(pieces: Int) throws {
    let text = "id,n\r\n1,\"a\r\nb\"\r\nx,y\n3\n4,\"z\n\"\n5,\"\n\"\nz,1"
    let report = try bench().collect(text, mapping: ImportMapping("item", layout: .csv()), pieces: pieces)
    #expect(report.issues.map(\.line) == [4, 5, 10] && report.issues.map(\.row) == [2, 3, 6])
    #expect(report.issues.map(\.column) == ["id", nil, "id"])
    #expect(report.tables["item"]?.inserted == 3)
  }
}
