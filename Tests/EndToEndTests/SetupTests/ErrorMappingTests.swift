import SeedDatabase
import SeedFormat
import Testing

@testable import seedbank

@Suite struct ErrorMappingTests {
  static let cases: [(error: any Error, code: ExitCode, message: String)] = [
    (
      DatabaseError(code: 13, message: "database or disk is full", subject: "COMMIT"), .inputOutput,
      "SQLite says \"database or disk is full\" (13) to: COMMIT."
    ),
    (FileError("write", "/x", 28), .inputOutput, "Cannot write /x: No space left on device."),
    (ImportError.unknownTable("t"), .badData, "There is no table \"t\"."),
    (
      InvalidName("dataset name", found: "X", expected: "a name"), .badData,
      "Invalid dataset name \"X\": expected a name."
    ),
    (SchemaProblem.noTables, .configuration, "No table that could be published."),
  ]

  @Test(arguments: cases.indices)
  func `an error of a library becomes an exit code and a sentence`(index: Int) {
    let expected = Self.cases[index]
    let report = FailureReport(expected.error)
    #expect(report.exitCode == expected.code)
    #expect(report.message == expected.message)
  }
}
