import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

/// Conversions of single values.
@Suite struct ImportValueTests {
  private func imported(
    _ value: String, type: String, _ conversion: ImportConversion,
    emptyTexts: Set<String> = []
  ) throws -> (row: String?, issue: String?) {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type))")
    let mapping = ImportMapping(
      TableMapping("t", columns: ["v": .from("v", conversion)], emptyTexts: emptyTexts))
    let report = try bench.run(
      "[{\"id\": 1, \"v\": \(value)}]", mapping: mapping, policy: ImportPolicy(badRows: .collect))
    return (
      try bench.rows("SELECT typeof(v) || ' ' || ifnull(v, '') FROM t").first, report.issues.first?.message
    )
  }

  @Test(arguments: [
    "2026-01-02T03:04:05Z", "2026-01-02 03:04:05+00", "20260102T030405Z", "20260102T030405+00",
    "2026-01-02T04:04:05+01:00", "2026-01-02 03:04:05 UTC", "2026-01-02T03:04:05", "2026-01-01T22:04:05-0500",
    "2026-01-02 03:34:05+00:30:00",
  ])
  func `ISO 8601 is read with and without separators, and in PostgreSQL's form`(text: String) throws {
    #expect(try imported("\"\(text)\"", type: "INTEGER", .date()).row == "integer 1767323045")
  }

  @Test(arguments: [
    "2026-02-30", "2026-1-2", "2026-01-02T3:04", "2026-01-02T03:04:05.", "2026-01-02T03:04:05+1", "infinity",
    "",
    "2026-01-02T03:04:", "2026-01-02x",
  ])
  func `a text that is not a date is rejected`(text: String) throws {
    let outcome = try imported("\"\(text)\"", type: "INTEGER", .date())
    #expect(outcome.row == nil)
    #expect(outcome.issue == "expected an ISO 8601 date, found \"\(text)\"")
  }

  @Test(arguments: [
    ("INTEGER", ImportConversion.DateForm.seconds, "integer 1"), ("REAL", .seconds, "real 1.75"),
    ("NUMERIC", .seconds, "real 1.75"), ("INTEGER", .milliseconds, "integer 1750"),
    ("INTEGER", .coredata, "integer -978307199"), ("REAL", .coredata, "real -978307198.25"),
    ("TEXT", .text, "text 1970-01-01T00:00:01.75Z"),
  ])
  func `a date takes its column's form, and its fraction never makes an integer column REAL`(
    type: String, form: ImportConversion.DateForm, row: String
  ) throws {
    #expect(try imported("\"1970-01-01T00:00:01.75Z\"", type: type, .date(as: form)).row == row)
    #expect(try imported("1.75", type: type, .date(.seconds, as: form)).row == row)
    #expect(try imported("\"1750\"", type: type, .date(.milliseconds, as: form)).row == row)
  }

  @Test func `times before 1970 keep their fractions, and those out of a column's range are rejected`() throws
  {
    #expect(try imported("-250", type: "REAL", .date(.milliseconds)).row == "real -0.25")
    #expect(
      try imported("-250", type: "INTEGER", .date(.milliseconds, as: .milliseconds)).row == "integer -250")
    #expect(try imported("-250", type: "INTEGER", .date(.milliseconds)).row == "integer -1")
    let far = try imported("9223372036854775807", type: "INTEGER", .date(.seconds, as: .milliseconds))
    #expect(far.issue == "the date 9223372036854775807 is beyond what its column can hold")
    #expect(try imported("999999999999", type: "TEXT", .date(.seconds, as: .text)).row == nil)
  }

  @Test(arguments: [
    ("dd.MM.yyyy HH:mm", "02.01.2026 03:04", "integer 1767323040"),
    ("M/d/yyyy H:mm", "1/2/2026 3:04", "integer 1767323040"),
    ("dd-MM-yyyy, HH:mm:ss", "02-01-2026, 03:04:05", "integer 1767323045"),
    ("yyyyMMdd", "20260102", "integer 1767312000"),
  ])
  func `a pattern reads dates with parts in any order`(pattern: String, text: String, row: String) throws {
    #expect(try imported("\"\(text)\"", type: "INTEGER", .date(.pattern(pattern))).row == row)
    let other = try imported("\"x\"", type: "INTEGER", .date(.pattern(pattern)))
    #expect(other.issue == "expected a date like \(pattern), found \"x\"")
  }

  @Test(arguments: [
    ("dd.MM.yy", "yy is none of yyyy"), ("dd.MM", "a year, a month and a day are needed"),
    ("dd.MM.yyyy hh:mm", "hh is none of yyyy"),
  ])
  func `an incomplete pattern is an error of the mapping`(pattern: String, reason: String) throws {
    let failure = #expect(throws: ImportFailure.self) {
      try imported("1", type: "INTEGER", .date(.pattern(pattern)))
    }
    #expect(failure?.code == .mapping)
    #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00.00001Z", "00:00.00001Z"), ("1970-01-01T00:00:00.000000001Z", "00:00.000000001Z"),
    ("1970-01-01T00:00:00.120Z", "00:00.12Z"), ("1970-01-01T00:00:00.0000000001Z", "00:00Z"),
    ("1970-01-01T00:00:59.9999999999Z", "01:00Z"),
  ])
  func `a date as text keeps its fraction's digits up to nanoseconds`(
    text: String, end: String
  ) throws {
    let row = try imported("\"\(text)\"", type: "TEXT", .date(as: .text)).row
    #expect(row == "text 1970-01-01T00:\(end)")
  }

  @Test func `a date without a zone is in the mapping's zone`() throws {
    #expect(
      try imported("\"2026-01-02T04:04:05\"", type: "INTEGER", .date(zone: 3600)).row == "integer 1767323045")
    #expect(
      try imported("\"2026-01-02T03:04:05Z\"", type: "INTEGER", .date(zone: 3600)).row == "integer 1767323045"
    )
    #expect(try imported("\"2026-01-02\"", type: "INTEGER", .date(zone: 3600)).row == "integer 1767308400")
  }

  @Test(arguments: [
    ("\"open\"", "integer 1"), ("\"shut\"", "integer 2"), ("3", "integer 30"), ("true", "integer 4"),
    ("null", "null "),
  ])
  func `listed values are replaced`(value: String, row: String) throws {
    let conversion = ImportConversion.values([
      "open": .integer(1), "shut": .text("2"), "3": .integer(30), "true": .integer(4),
    ])
    #expect(try imported(value, type: "INTEGER", conversion).row == row)
  }

  @Test func `an unlisted value is rejected, or becomes the default`() throws {
    let values: [String: SeedValue] = ["a": .text("A")]
    let refused = try imported("\"b\"", type: "TEXT", .values(values))
    #expect(refused.issue == "\"b\" is not among the values that the mapping lists")
    #expect(try imported("\"b\"", type: "TEXT", .values(values, otherwise: .null)).row == "null ")
    #expect(try imported("\"b\"", type: "TEXT", .values(values, otherwise: .text("?"))).row == "text ?")
    let failure = #expect(throws: ImportFailure.self) {
      try imported("\"a\"", type: "INTEGER", .values(values))
    }
    #expect(failure?.message.contains("the value A does not fit the type INTEGER") == true)
  }

  @Test func `empty texts are NULL if the mapping says so`() throws {
    #expect(try imported("\"\"", type: "TEXT", .automatic).row == "text ")
    #expect(try imported("\"\"", type: "TEXT", .automatic, emptyTexts: ["v"]).row == "null ")
    #expect(try imported("\"\"", type: "INTEGER", .automatic, emptyTexts: ["v"]).row == "null ")
    #expect(try imported("\"\"", type: "TEXT", .automatic, emptyTexts: ["id"]).row == "text ")
    #expect(try imported("\"x\"", type: "TEXT", .automatic, emptyTexts: ["v"]).row == "text x")
  }

  @Test func `an unknown column in emptyTexts is reported with the nearest name`()
    throws
  {
    let failure = #expect(throws: ImportFailure.self) {
      try imported("1", type: "TEXT", .automatic, emptyTexts: ["idd"])
    }
    #expect(failure?.message.contains("there is no column \"idd\", did you mean \"id\"?") == true)
  }
}
