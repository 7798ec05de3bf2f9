import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

/// Documents with byte order marks, in compressed parts, and with names in other Unicode forms.
@Suite struct ImportDocumentTests {
  private func bench() throws -> ImportBench {
    try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, n)")
  }

  @Test(arguments: [1, 2, 3, 4, 1000])
  func `a byte order mark is skipped, and offsets count it`(pieces: Int) throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bench = try bench()
    let good = mark + Array(#"[{"id": 1}]"#.utf8)
    try bench.run(documents: [good, good], mapping: ImportMapping("item"), pieces: pieces)
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(
        documents: [mark + Array(#"[{"n": 1}]"#.utf8)], mapping: ImportMapping("item"), pieces: pieces)
    }
    #expect(failure?.issue?.offset == 4)
    for document in [mark, mark + mark + Array("[]".utf8)] {
      #expect(throws: ImportFailure.self) {
        try bench.run(documents: [document], mapping: ImportMapping("item"), pieces: pieces)
      }
    }
  }

  private func unpacked(_ bytes: [UInt8], pieces: Int) throws -> String {
    let unpacker = DocumentUnpacker()
    var (rest, text) = (bytes[...], [UInt8]())
    while !rest.isEmpty {
      try unpacker.take(Array(rest.prefix(pieces))) { text += $0 }
      rest = rest.dropFirst(pieces)
    }
    try unpacker.end { text += $0 }
    return String(decoding: text, as: UTF8.self)
  }

  @Test(arguments: [1, 7, 1000])
  func `consecutive gzip members are one document`(pieces: Int) throws {
    let members: [[UInt8]] = try ["one ", "", "two"].map { try Compression.gzip(Array($0.utf8)) }
    #expect(try unpacked(Array(members.joined()), pieces: pieces) == "one two")
    #expect(throws: CompressionError.self) {
      try unpacked(members[0] + members[2].dropLast(3), pieces: pieces)
    }
    #expect(throws: CompressionError.self) { try unpacked(members[0] + Array("more".utf8), pieces: pieces) }
  }

  @Test func `a path to the rows distinguishes normal forms of a name`() throws {
    let bench = try bench()
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let text = #"{"\#(decomposed)": [{"id": 2}], "\#(composed)": [{"id": 1}]}"#
    try bench.run(text, mapping: ImportMapping("item", rows: MemberPath(composed)))
    #expect(try bench.rows("SELECT id FROM item") == ["1"])
  }

  @Test func `a second's fraction may have any number of digits`() throws {
    let bench = try bench()
    let table = TableMapping("item", columns: ["n": .from("at", .date())])
    let fractions = ["5", "5" + String(repeating: "0", count: 400), String(repeating: "4", count: 999)]
    let rows = fractions.enumerated().map { #"{"id": \#($0), "at": "1970-01-01T00:00:01.\#($1)Z"}"# }
    try bench.run("[\(rows.joined(separator: ","))]", mapping: ImportMapping(table))
    #expect(try bench.rows("SELECT round(n, 6) FROM item") == ["1.5", "1.5", "1.444444"])
  }

  @Test(arguments: [(ImportMapping.Layout.array, 300_000), (.lines, .max)])
  func `a row beyond 16 MiB ends the import with its place and the limit`(
    layout: ImportMapping.Layout, pieces: Int
  ) throws {
    let text = String(repeating: "x", count: 16 * 1024 * 1024)
    let document = layout == .array ? #"[{"id": 1}, {"n": "\#(text)"}]"# : #"{"id": 1} {"n": "\#(text)"}"#
    let failure = try #require(
      throws: ImportFailure.self,
      performing: {
        try bench().collect(document, mapping: ImportMapping("item", layout: layout), pieces: pieces)
      })
    #expect(failure.message.contains("document 0, row 2, byte"))
    #expect(failure.message.contains("longer than 16777216 bytes: divide it"))
  }
}
