import Foundation
import Support
import Testing

/// A signal ends an import cleanly, with a message about the rows that are kept.
@Suite struct ImportSignalTests {
  private let folder: ImportFolder

  init() throws { folder = try ImportFolder("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT)") }

  private static let lines = (1...100).map { #"{"id": \#($0), "name": "n"}"# + "\n" }.joined()

  /// Starts an import of an endless standard input, waits until it has begun, and sends the signal.
  private func interrupted(
    by signal: Int32, _ options: String..., once hasBegun: () throws -> Bool
  ) throws -> ProgramOutcome {
    let words = ["import", "-", "--database", folder.database, "--table", "stop", "--format", "ndjson"]
    let program = try TestProgram([SeedbankBinary.path] + words + options, input: .pipe)
    try program.write(Self.lines)
    try eventually("it has begun") { try hasBegun() ? true : nil }
    program.send(signal)
    return try program.outcome()
  }

  private func rows() throws -> Int? {
    try folder.rows("SELECT count(*) FROM stop").first.flatMap { Int($0) }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a single transaction is rolled back`(signal: Int32) throws {
    let outcome = try interrupted(by: signal) {
      FileManager.default.fileExists(atPath: "\(folder.database)-journal")
    }
    #expect(outcome.ending == .killed(signal: signal))
    #expect(outcome.errors.contains("Interrupted: nothing was changed."), "\(outcome.errors)")
    #expect(try rows() == 0)
  }

  @Test func `committed batches stay, and the same command completes them`() throws {
    let outcome = try interrupted(by: SIGINT, "--batch", "30") { try rows() ?? 0 > 0 }
    #expect(outcome.ending == .killed(signal: SIGINT))
    let kept = try #require(try rows())
    #expect(kept > 0 && kept % 30 == 0)
    #expect(
      outcome.errors.contains("Interrupted: \(kept) rows of the documents are committed and stay"),
      "\(outcome.errors)")
    try folder.write(Self.lines, "stops")
    let shell = """
      exec "$0" import - --database "$1" --table stop --format ndjson --batch 30 < "$2"
      """
    try Tool.run(["sh", "-c", shell, SeedbankBinary.path, folder.database, folder("stops")])
    #expect(try rows() == 100)
    #expect(try folder.rows("SELECT name FROM sqlite_schema") == ["stop"], "no extra table is left")
  }
}
