import Foundation
import Support
import Testing

/// A signal ends an import in order, and says what is kept.
@Suite(.bounded) struct ImportSignalTests {
  private let folder: ImportFolder

  init() throws { folder = try ImportFolder("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT)") }

  private static let lines = (1...100).map { #"{"id": \#($0), "name": "n"}"# + "\n" }.joined()

  /// Starts an import of a standard input that does not end, waits for a file, and sends the signal.
  private func interrupted(
    by signal: Int32, after file: String, _ options: String...
  ) throws -> (process: Process, errors: String) {
    let (process, input, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = SeedbankBinary.url
    process.arguments =
      ["import", "-", "--database", folder.database, "--table", "stop", "--format", "ndjson"] + options
    (process.standardInput, process.standardError) = (input, errors)
    process.standardOutput = FileHandle.nullDevice
    try ProcessGuard.run(process)
    try input.fileHandleForWriting.write(contentsOf: Data(Self.lines.utf8))
    try eventually("it has begun", within: 60) {
      FileManager.default.fileExists(atPath: file) ? true : nil
    }
    kill(process.processIdentifier, signal)
    process.waitForEnd()
    try input.fileHandleForWriting.close()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (process, text)
  }

  private func rows() throws -> Int? {
    try folder.rows("SELECT count(*) FROM stop").first.flatMap { Int($0) }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `one transaction is taken back`(signal: Int32) throws {
    let (process, errors) = try interrupted(by: signal, after: "\(folder.database)-journal")
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
    #expect(errors.contains("Interrupted: nothing was changed."), "\(errors)")
    #expect(try rows() == 0)
  }

  @Test func `batches stay, and the same command goes on behind them`() throws {
    let cursor = "\(folder.database).import-cursor"
    let (process, errors) = try interrupted(by: SIGINT, after: cursor, "--batch", "30")
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
    let kept = try #require(try rows())
    #expect(kept > 0 && kept % 30 == 0)
    #expect(
      errors.contains("Interrupted: \(kept) rows of the documents were committed before and stay"),
      "\(errors)")
    try folder.write(Self.lines, "stops")
    let shell = """
      exec "$0" import - --database "$1" --table stop --format ndjson --batch 30 < "$2"
      """
    try Tool.run(["sh", "-c", shell, SeedbankBinary.url.path, folder.database, folder("stops")])
    #expect(try rows() == 100)
    #expect(!FileManager.default.fileExists(atPath: cursor))
  }
}
