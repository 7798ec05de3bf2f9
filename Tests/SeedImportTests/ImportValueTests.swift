import SeedFormat
import SeedImport
import Support
import Testing

/// Conversions of single values.
@Suite struct ImportValueTests {
  private func imported(
    _ value: String, type: String, _ conversion: ImportConversion
  ) throws -> (row: String?, issue: String?) {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type))")
    let mapping = ImportMapping(TableMapping("t", columns: ["v": .from("v", conversion)]))
    let report = try bench.collect("[{\"id\": 1, \"v\": \(value)}]", mapping: mapping)
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
    "2026-01-02T03:04:", "2026-01-02x", "20260102T03040", "20260102T03040Z", "20260102T03049+02",
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
  ])
  func `a date gets its column's form, and its fraction never makes an integer column REAL`(
    type: String, form: ImportConversion.DateForm, row: String
  ) throws {
    #expect(try imported("\"1970-01-01T00:00:01.75Z\"", type: type, .date(as: form)).row == row)
    #expect(try imported("1.75", type: type, .date(.seconds, as: form)).row == row)
    #expect(try imported("\"1750\"", type: type, .date(.milliseconds, as: form)).row == row)
  }

  @Test
  func
    `times before 1970 and leap days are right, and times out of a column's range are rejected`()
    throws
  {
    #expect(try imported("-250", type: "REAL", .date(.milliseconds)).row == "real -0.25")
    #expect(
      try imported("-250", type: "INTEGER", .date(.milliseconds, as: .milliseconds)).row == "integer -250")
    #expect(try imported("-250", type: "INTEGER", .date(.milliseconds)).row == "integer -1")
    #expect(
      try imported("\"2000-02-29T23:59:59Z\"", type: "INTEGER", .date(as: .coredata)).row
        == "integer -26438401")
    let far = try imported("9223372036854775807", type: "INTEGER", .date(.seconds, as: .milliseconds))
    #expect(far.issue == "the date 9223372036854775807 is out of the column's range")
  }

  @Test func `a date without a zone is in the mapping's zone`() throws {
    #expect(
      try imported("\"2026-01-02T04:04:05\"", type: "INTEGER", .date(zone: 3600)).row == "integer 1767323045")
    #expect(
      try imported("\"2026-01-02T03:04:05Z\"", type: "INTEGER", .date(zone: 3600)).row == "integer 1767323045"
    )
    #expect(try imported("\"2026-01-02\"", type: "INTEGER", .date(zone: 3600)).row == "integer 1767308400")
  }
}
