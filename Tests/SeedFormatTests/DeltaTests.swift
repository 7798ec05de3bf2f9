import SeedFormat
import Support
import Testing

@Suite struct DeltaTests {
  static let header: DeltaHeader = {
    guard let series = try? SeedSeries("transit", major: 2) else { preconditionFailure("literal names") }
    let zeros: SHA256Digest = "0000000000000000000000000000000000000000000000000000000000000000"
    return DeltaHeader(series: series, model: "2.1", schema: zeros, from: 100, to: 102, digest: zeros)
  }()

  static let hard: [SeedValue] = [
    .null, .integer(0), .integer(9_007_199_254_740_991), .integer(9_007_199_254_740_992), .integer(.min),
    .integer(.max),
    .real(0), .real(-0.0), .real(1), .real(0.1), .real(.infinity), .real(-.infinity), .real(1e300),
    .real(.leastNonzeroMagnitude),
    .text(""), .text("a\u{0}b"), .text("\u{1F600}\"\\\n"), .text("é"), .text("e\u{301}"), .blob([]),
    .blob([0, 255, 1]),
  ]

  @Test func `every edge case value is read back equal`() throws {
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["k"], columns: ["k", "v"])
    for (index, value) in Self.hard.enumerated() { writer.insert([.integer(Int64(index)), value]) }
    let rows = try Self.rows(writer.document(Self.header))
    #expect(rows.map { $0[1] } == Self.hard)
  }

  @Test func `a real is never written as an integer`() {
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["k"], columns: ["k"])
    for value in [1.0, -0.0, 1e16, 1e300] { writer.insert([.real(value)]) }
    let text = String(decoding: writer.document(Self.header), as: UTF8.self)
    #expect(text.contains(#"[[1.0],[-0.0],[1e+16],[1e+300]]"#))
  }

  @Test func `the document has the documented form`() {
    var writer = DeltaWriter()
    writer.begin(table: "quiet", key: ["id"], columns: ["id"])
    writer.begin(table: "stop", key: ["id"], columns: ["id", "name", "lat"])
    writer.update([.text("de:2")], [.real(52.6)], at: [2])
    writer.insert([.text("de:1"), .text("Alexanderplatz"), .real(52.5)])
    writer.update([.text("de:3")], [.text("Zoo"), .null], at: [1, 2])
    writer.update([.text("de:4")], [.null], at: [2])
    writer.delete([.text("de:7")])
    let zeros = String(repeating: "0", count: 64)
    let expected =
      #"{"dataset":"transit","series":2,"model":"2.1","schema":"\#(zeros)","from":100,"to":102,"digest":"\#(zeros)","#
      + #""changes":[{"table":"stop","key":["id"],"columns":["id","name","lat"],"sets":[["lat"],["name","lat"]],"#
      + #""delete":[["de:7"]],"insert":[["de:1","Alexanderplatz",52.5]],"#
      + #""update":[[0,"de:2",52.6],[1,"de:3","Zoo",null],[0,"de:4",null]]}]}"# + "\n"
    #expect(String(decoding: writer.document(Self.header), as: UTF8.self) == expected)
  }

  // MARK: Filled columns

  private static let minorHeader = DeltaHeader(
    series: header.series, model: header.model, schema: header.schema, from: 100, to: 101,
    digest: header.digest, additions: SchemaAdditions(before: header.schema, statements: []))

  /// Fills the third and the sixth row of a table.
  private static func filling() -> DeltaWriter {
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["k"], columns: ["k", "a", "b"], filling: [1, 2])
    for number in 1...9 {
      let values: [SeedValue] = [.integer(Int64(number)), .null]
      if number.isMultiple(of: 3), number < 9 {
        LentBytes.lending(values) { writer.fill(lent: $0) }
      } else {
        writer.skip()
      }
    }
    return writer
  }

  @Test func `filled rows have no keys, and an array has a number of rows to skip`() throws {
    let document = Self.filling().document(Self.minorHeader)
    let text = String(decoding: document, as: UTF8.self)
    #expect(text.contains(#""sets":[],"fill":["a","b"],"filled":[[2],3,null,[2],6,null],"delete":[]"#))
    #expect(try Self.events(document).dropFirst() == [.skip(2), .fill, .skip(2), .fill, .end])
  }

  @Test(arguments: [
    ("[[2],3", "[[0],3"), ("[[2],3", "[[-2],3"), ("[[2],3", "[[2.0],3"), ("[[2],3", "[[],3"),
    ("[[2],3", "[[2,2],3"), ("[[2],3", #"[["2"],3"#), ("6,null]", "6]"), ("3,null,", "3,"),
    ("3,null,", "3,true,"),
    (#""filled":[["#, #""filled":[[["#), (#","filled":[[2],3,null,[2],6,null]"#, ""),
    (#""fill":["a","b"],"#, ""), (#""fill":["a","b"]"#, #""fill":[]"#),
  ])
  func `filled rows that the writer cannot produce are rejected`(_ part: String, _ other: String) throws {
    let document = String(decoding: Self.filling().document(Self.minorHeader), as: UTF8.self)
    let broken = document.replacing(part, with: other)
    try #require(broken != document)
    #expect(throws: DeltaError.self) { try Self.events(Array(broken.utf8)) }
  }

  @Test func `only a delta that begins a minor fills columns`() {
    #expect(throws: DeltaError.self) { try Self.events(Self.filling().document(Self.header)) }
  }

  @Test func `a delta without changes, or with an abandoned or unfilled table, is empty`() {
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["k"], columns: ["k"])
    #expect(writer.isEmpty)
    writer.insert([.null])
    #expect(!writer.isEmpty)
    writer.abandonTable()
    #expect(writer.isEmpty)
    var unfilled = DeltaWriter()
    unfilled.begin(table: "t", key: ["k"], columns: ["k", "v"], filling: [1])
    unfilled.skip()
    #expect(unfilled.isEmpty)
  }

  @Test(arguments: [
    (#""from":100"#, #""from":"100""#), (#""series":2"#, #""series":0"#),
    (#""dataset":"transit""#, #""dataset":"T""#),
    (#""from":100,"to":102"#, #""to":102,"from":100"#), ("[[1,2]]", "[[true,2]]"), ("[[1,2]]", "[[[1],2]]"),
    ("[[1,2]]", #"[[{"i64":"1"},2]]"#), ("[[1,2]]", "[[9007199254740992,2]]"),
    ("[[1,2]]", #"[[{"f64":"NaN"},2]]"#), ("[[1,2]]", #"[[{"b64":"AB=="},2]]"#),
    ("[[1,2]]", #"[[{"b64":"AA"},2]]"#), ("[[1,2]]", #"[[{"x":"1"},2]]"#), ("[[1,2]]", "[[1]]"),
    ("[[1,2]]", "[[1,2,3]]"), ("[[1,2]]", #"[{"k":1,"v":2}]"#), ("[[3]]", "[[]]"), ("[[3]]", "[[3,4]]"),
    ("[[0,4,5]]", "[[1,4,5]]"), ("[[0,4,5]]", "[[-1,4,5]]"), ("[[0,4,5]]", "[[0.0,4,5]]"),
    ("[[0,4,5]]", "[[0,4]]"), ("[[0,4,5]]", "[[]]"), (#"[["v"]]"#, #"["v"]"#), (#"[["v"]]"#, #"[["v"],1]"#),
    (#"["k","v"]"#, #"["k",1]"#), ("]}]}\n", "]}]} x"), ("]}]}\n", "]}"), (#""delete":[[3]],"#, ""),
  ])
  func `a document that the writer cannot produce is rejected`(_ part: String, _ other: String) throws {
    let document = Self.threeChanges()
    #expect(try Self.events(Array(document.utf8)).dropFirst() == [.delete, .insert, .update(0), .end])
    let broken = document.replacing(part, with: other)
    try #require(broken != document)
    #expect(throws: DeltaError.self) { try Self.events(Array(broken.utf8)) }
  }

  @Test(arguments: [
    ("[[1,2]]", "[[1]]", #"table "t", row k = 1: a row of 1 values, expected 2"#),
    ("[[3]]", "[[3,4]]", #"table "t", row k = 3: a row of 2 values, expected 1"#),
    ("[[3]]", "[[]]", #"table "t": a row of 0 values, expected 1"#),
    ("[[0,4,5]]", "[[0,4]]", #"table "t", row k = 4: a row of 2 values, expected 3"#),
    ("[[0,4,5]]", "[[0,4,true]]", #"table "t": column "v": not a valid column value"#),
    ("[[1,2]]", "[[[1],2]]", #"table "t": column "k": not a valid column value"#),
    ("[[0,4,5]]", "[[1,4,5]]", #"table "t": expected an update that begins with the number of a column set"#),
  ])
  func `a bad row is rejected with its table, and its key or the column at fault`(
    _ part: String, _ other: String, _ message: String
  ) throws {
    let broken = Self.threeChanges().replacing(part, with: other)
    let error = #expect(throws: DeltaError.self) { try Self.events(Array(broken.utf8)) }
    #expect(error?.reason.hasPrefix(message) == true, "\(error?.reason ?? "")")
  }

  @Test func `blobs of every small length and around the chunk size survive base64, whole and in chunks`() {
    var random = SplitMix(seed: 8)
    let chunk = Base64.pieceBytes
    for length in Array(0..<100) + [chunk, 2 * chunk].flatMap({ Array($0 - 3...$0 + 3) }) {
      let bytes = Self.randomBytes(length, &random)
      let text = Base64.encode(bytes)
      let letters = bytes.withUnsafeBufferPointer { all in
        stride(from: 0, to: length, by: chunk).reduce(into: [UInt8]()) {
          $0 += Base64.letters(all[$1..<min($1 + chunk, length)])
        }
      }
      #expect(Base64.decode(text) == bytes && letters.elementsEqual(text.utf8), "\(length)")
    }
  }

  private static func randomBytes(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test func `padding inside base64 is rejected`() {
    let piece = Base64.encode(Array(repeating: 1, count: Base64.pieceBytes - 1))
    #expect(piece.hasSuffix("=") && Base64.decode(piece) != nil)
    #expect(Base64.decode(piece + piece) == nil)
    #expect(Base64.decode("====") == nil && Base64.decode("A") == nil && Base64.decode("AA==AAAA") == nil)
  }

  /// Keeps its input in an array and records the largest chunk.
  private final class Spill: DeltaSpill {
    private var bytes: [UInt8] = []
    private(set) var largest = 0

    func append(_ more: [UInt8]) -> Range<Int> {
      largest = max(largest, more.count)
      bytes += more
      return bytes.count - more.count..<bytes.count
    }

    func read(_ range: Range<Int>, _ take: ([UInt8]) throws -> Void) throws { try take(Array(bytes[range])) }
  }

  @Test func `a long row is spilled in chunks and the document is the same`() throws {
    var random = SplitMix(seed: 9)
    let blob = Self.randomBytes(500_001, &random)
    let text = String(repeating: "a\"\u{1}\u{e9}\u{1F600}\n", count: 33_003)
    let rows: [[SeedValue]] = [
      [.integer(1), .blob(blob), .text(text)], [.integer(2), .blob([]), .text("")],
      [.text(text), .null, .real(-.infinity)],
    ]
    func written(_ spill: Spill?) throws -> [UInt8] {
      var writer = DeltaWriter(spill: spill)
      writer.begin(table: "t", key: ["k"], columns: ["k", "b", "t"])
      for row in rows { writer.insert(row) }
      var document: [UInt8] = []
      try writer.write(Self.header) { document += $0 }
      return document
    }
    let (spill, whole) = (Spill(), try written(nil))
    #expect(try written(spill) == whole)
    #expect(spill.largest < 512 * 1024)
    #expect(try Self.rows(whole) == rows)
  }

  private static func threeChanges() -> String {
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["k"], columns: ["k", "v"])
    writer.delete([.integer(3)])
    writer.insert([.integer(1), .integer(2)])
    writer.update([.integer(4)], [.integer(5)], at: [1])
    return String(decoding: writer.document(header), as: UTF8.self)
  }

  static func events(_ document: [UInt8]) throws -> [DeltaEvent] {
    var events: [DeltaEvent] = []
    try read(document) { event, _ in events.append(event) }
    return events + [.end]
  }

  static func rows(_ document: [UInt8]) throws -> [[SeedValue]] {
    var rows: [[SeedValue]] = []
    try read(document) { event, values in if event == .insert { rows.append(values) } }
    return rows
  }

  private static func read(_ document: [UInt8], _ take: (DeltaEvent, [SeedValue]) -> Void) throws {
    var reader = try DeltaReader(document)
    var values: [BorrowedValue] = []
    while case let event = try reader.next(), event != .end {
      switch event {
      case .end, .table, .skip: take(event, [])
      case .fill, .delete, .insert, .update:
        try reader.read(into: &values)
        take(event, values.map(\.owned))
      }
    }
  }
}
