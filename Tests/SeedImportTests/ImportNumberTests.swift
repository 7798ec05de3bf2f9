import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportNumberTests {
  @Test(arguments: [
    "3.14159265358979323846", "12345678901234567.89", "0.10", "1E5", "-0", "-0.0", "1e-400", "2.50e+01",
    "12345678901234567890", "1e999", "7",
  ])
  func `a text column keeps a number's digits as in the document`(digits: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, y TEXT)")
    let mapping = ImportMapping(TableMapping("t", columns: ["v": "v", "y": .from("all", .json)]))
    let text = #"[{"id": 1, "v": \#(digits), "all": {"a": [\#(digits), {"b": \#(digits)}]}}]"#
    for pieces in [3, 1000] {
      try bench.run(text, mapping: mapping, pieces: pieces)
      #expect(try bench.rows("SELECT v FROM t") == [digits])
      #expect(try bench.rows("SELECT y FROM t") == [#"{"a":[\#(digits),{"b":\#(digits)}]}"#])
      #expect(try bench.run(text, mapping: mapping, pieces: pieces).tables["t"]?.unchanged == 1)
    }
  }

  @Test(arguments: [
    ("9007199254740993.0", "9007199254740993"), ("9223372036854775807.000", "9223372036854775807"),
    ("-9223372036854775808e0", "-9223372036854775808"), ("1.5e1", "15"), ("1200e-2", "12"), ("-0.0", "0"),
    ("0e-99999999999999999999", "0"), ("0.000e5", "0"), ("100000000000000000000e-10", "10000000000"),
  ])
  func `an integer may be written with a fraction or an exponent`(digits: String, value: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER)")
    try bench.run(#"[{"id": 1, "v": \#(digits)}]"#, mapping: ImportMapping("t"))
    #expect(try bench.rows("SELECT v FROM t") == [value])
  }

  @Test(arguments: [
    "1.0000000000000000000001", "1e-400", "9223372036854775808.0", "1e19", "15e-1", "-0.5", "1e300",
    "1e-99999999999999999999", "9007199254740993.5",
  ])
  func `a number is never rounded to an integer`(digits: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER)")
    let report = try bench.collect(#"[{"id": 1, "v": \#(digits)}]"#, mapping: ImportMapping("t"))
    #expect(report.issues.map(\.code) == [.typeMismatch])
    #expect(report.issues.first?.message.contains(digits) == true)
  }

  @Test func `a real column gets the nearest double, which may be zero`() throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v REAL)")
    try bench.run(
      #"[{"id": 1, "v": 1e-400}, {"id": 2, "v": 0.1}, {"id": 3, "v": 9007199254740993}]"#,
      mapping: ImportMapping("t"))
    #expect(try bench.rows("SELECT v FROM t") == ["0.0", "0.1", "9007199254740992.0"])
  }

  @Test(arguments: ["INTEGER", "NUMERIC", "", "BLOB"])
  func `an integer beyond 64 bits is rejected if its column would round it`(type: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type), r REAL, s REAL)")
    let (digits, collecting) = ("12345678901234567890", ImportPolicy(badRows: .collect))
    let report = try bench.run(
      #"[{"id": 1, "v": \#(digits)}, {"id": 2, "v": 1e999}]"#, mapping: ImportMapping("t"), policy: collecting
    )
    #expect(report.issues.map(\.code) == [.outOfRange, .outOfRange])
    #expect(
      report.issues.map(\.message) == [
        "the whole number \(digits) does not fit 64 bits: a TEXT column stores it exactly, a REAL column only approximately",
        "the number 1e999 is beyond a double's range: only a TEXT column takes it",
      ])
    try bench.run(
      #"[{"id": 3, "r": \#(digits), "s": "\#(digits)"}]"#, mapping: ImportMapping("t"))
    #expect(try bench.rows("SELECT r, s FROM t") == ["1.2345678901234567e+19|1.2345678901234567e+19"])
  }

  @Test(arguments: [
    "12345678901234567890", "-9223372036854775809", "00012345678901234567890", " +12345678901234567890 ",
    "1e400", "-1.5E400",
  ])
  func `a text with a number beyond 64 bits is rejected if its column would round it`(text: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v DECIMAL(20))")
    let policy = ImportPolicy(badRows: .collect)
    let json = try bench.run(#"[{"id": 1, "v": "\#(text)"}]"#, mapping: ImportMapping("t"), policy: policy)
    let csv = try bench.run("id,v\n1,\(text)\n", mapping: ImportMapping("t", layout: .csv()), policy: policy)
    for report in [json, csv] {
      #expect(
        report.issues.map(\.message) == [
          "the number \"\(text)\" does not fit 64 bits: a TEXT column keeps it"
        ])
    }
  }

  @Test(arguments: [
    ("-9223372036854775808", "-9223372036854775808"), ("0.12345678901234567890123", "0.123456789012346"),
    ("1e300", "1e+300"), ("12345678901234567890x", "text"), ("e400", "text"),
    ("2026-01-31T12:00:00Z", "text"),
  ])
  func `other texts go to a numeric column by SQLite's rules`(text: String, stored: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v DECIMAL(20))")
    try bench.run(#"[{"id": 1, "v": "\#(text)"}]"#, mapping: ImportMapping("t"))
    let shown = "CASE typeof(v) WHEN 'real' THEN printf('%.15g', v) WHEN 'text' THEN 'text' ELSE v END"
    #expect(try bench.rows("SELECT \(shown) FROM t") == [stored])
  }

  @Test func `rejected rows keep their numbers' digits`() throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY)")
    var hooks = ImportHooks()
    var rows: [String] = []
    hooks.rejected = { rows.append(String(decoding: $0.value, as: UTF8.self)) }
    try bench.collect(#"[{"id": 1.50, "v": 1E2}]"#, mapping: ImportMapping("t"), hooks: hooks)
    #expect(rows == [#"{"id":1.50,"v":1E2}"#])
  }

  @Test(arguments: [("INTEGER", "abc"), ("INTEGER", "012"), ("INTEGER", "1.5"), ("REAL", "x"), ("BLOB", "b")])
  func `constants and defaults must fit their columns`(type: String, text: String) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, r \(type))")
    for mapping in [
      TableMapping("t", constants: ["r": .text(text)]), TableMapping("t", defaults: ["r": .text(text)]),
    ] {
      let failure = bench.failure(#"[{"id": 1}]"#, mapping: ImportMapping(mapping))
      #expect(failure?.code == .mapping)
      #expect(failure?.message.contains(#"column "r""#) == true)
      #expect(failure?.message.contains(text) == true)
    }
  }

  @Test func `constants that fit are stored like values`() throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, n)")
    let constants: [String: SeedValue] = [
      "i": .text("12"), "r": .integer(2), "s": .integer(7), "n": .text("x"),
    ]
    try bench.run(#"[{"id": 1}]"#, mapping: ImportMapping(TableMapping("t", constants: constants)))
    #expect(try bench.rows("SELECT i, r, s, n FROM t") == ["12|2.0|7|x"])
  }
}
