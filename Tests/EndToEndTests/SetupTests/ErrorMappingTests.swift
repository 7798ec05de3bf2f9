import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import Support
import Testing

@testable import SeedTrust
@testable import seedbank

@Suite struct ErrorMappingTests {
  static let cases: [(error: any Error, code: ExitCode, message: String)] = [
    (
      DatabaseError(code: 13, message: "database or disk is full", subject: "COMMIT"), .inputOutput,
      "SQLite reports \"database or disk is full\" (13) to: COMMIT."
    ),
    (
      DatabaseError(
        code: 13, message: "database or disk is full", subject: "COMMIT",
        place: .database("/w/copy.sqlite")),
      .inputOutput,
      "SQLite reports \"database or disk is full\" (13) to: COMMIT; there is no room for /w/copy.sqlite, or for SQLite's"
        + " sorting in TMPDIR: free some."
    ),
    (
      DatabaseError(code: 13, message: "full", subject: "SELECT 1", place: .scratch), .inputOutput,
      "SQLite reports \"full\" (13) to: SELECT 1; scratch files are in \(Paths.scratchFolder): check its"
        + " disk and room, or name another folder in TMPDIR."
    ),
    (
      FileError("write", Paths.scratchPrefix + "1/object", 28), .inputOutput,
      "Cannot write \(Paths.scratchPrefix)1/object: No space left on device: free some there, or name a folder with more"
        + " room in TMPDIR."
    ),
    (
      OriginError.reading("/o", DatabaseError(code: 13, message: "full", subject: "", place: .scratch)),
      .inputOutput,
      "The rows of /o could not be sorted: there is no room for SQLite's temporary files; free some in the "
        + "folder that TMPDIR names (or /var/tmp), or name one with more room there."
    ),
    (FileError("write", "/x", 28), .inputOutput, "Cannot write /x: No space left on device."),
    (ImportError.unknownTable("t"), .badData, "There is no table \"t\"."),
    (
      InvalidName("dataset name", found: "X", expected: "a name"), .badData,
      "Invalid dataset name \"X\": expected a name."
    ),
    (
      OriginError.locked(path: "/o", seconds: 10), .unavailable,
      "The origin /o is locked by another process, for 10 seconds at least: try again later."
    ),
    (
      PublicationError.locked(path: "/p", by: "process 1, seedbank", waitedSeconds: 10), .locked,
      "Another publisher is working on /p, for more than 10 seconds: try again when it is done, or end it if it "
        + "hangs (process 1, seedbank)."
    ),
    (OriginError.syntax(source: "/m/t.sql:3", reason: "near"), .configuration, "/m/t.sql:3: near."),
    (
      OriginError.nullInKey(table: "t", column: "id"), .badData,
      "Table \"t\": a row has NULL in the key column \"id\"."
    ),
    (
      KeyFileError.system(FileError("open", "/k", ENOENT)), .configuration,
      "Cannot open /k: No such file or directory."
    ),
    (
      KeyFileError.system(FileError("read", "/k", EIO)), .inputOutput,
      "Cannot read /k: Input/output error."
    ),
    (
      OriginError.damaged(path: "/o", reason: DatabaseError(code: 11, message: "malformed", subject: "")),
      .badData,
      "The origin /o is damaged and cannot be read: malformed; restore it from a backup, "
        + "or save its rows with 'sqlite3 /o .recover'."
    ),
    (
      PublicationError.notDelegated(series: "transit/1"), .configuration,
      "The series transit/1 is new, and the targets key that must sign its delegation is not here: "
        + "'seedbank keys renew targets --with FOLDER' signs it with the key in that folder."
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

  @Test func `a series name at the start of a sentence is not capitalized`() throws {
    let error = PublicationError.shrunk([try SeedSeries("transit", major: 1): []])
    #expect(FailureReport(error).message.hasPrefix("transit/1 is held back"))
  }
}
