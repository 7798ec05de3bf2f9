import Foundation
import Support
import Testing

/// Stops the real process during a publish step that never ends.
@Suite struct EndlessStepTests {
  private static let endless = "CREATE VIEW source AS SELECT id, name FROM shop WHERE \(Tool.endless)"

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try origin("CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop VALUES (1, 'one')")
    try folder.succeed("init", "my.sqlite")
    try folder.write("SELECT id, name FROM source", to: "seedbank/my/models/1.0/shop.sql")
  }

  private func origin(_ sql: String) throws { try Tool.sqlite(folder("my.sqlite"), sql) }

  private func waitUntilBusy(_ process: Int32, since start: Int) throws {
    try eventually("the step is at work") {
      try ticks(process) > start + 20 ? true : nil
    }
  }

  /// Returns the processor time of a process in ticks.
  private func ticks(_ process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text.drop { $0 != ")" }.split(separator: " ")
    return fields.dropFirst(12).prefix(2).compactMap { Int($0) }.reduce(0, +)
  }

  @Test(.full) func `an endless step delays neither the change of readiness nor the shutdown`() throws {
    try origin("CREATE VIEW source AS SELECT id, name FROM shop")
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: folder.path, environment: ["SEEDBANK_HTTP_DRAIN_SECONDS": "20"])
    let start = try ticks(server.identifier)
    try origin("DROP VIEW source; \(Self.endless)")
    try waitUntilBusy(server.identifier, since: start)
    server.askToEnd()
    try eventually("readiness goes") {
      (try? RawClient(port: server.port).get("/readyz").status) == 503 ? true : nil
    }
    #expect(server.waitForEnd() == 0)
    #expect(server.errors.contains("A publish step or an upload to a mirror is still running"))
    // The next start cleans up after the interrupted step and publishes.
    try origin("DROP VIEW source; CREATE VIEW source AS SELECT id, 'two' AS name FROM shop")
    let again = try RunningSeedbank(["run", "--port", "0"], in: folder.path)
    #expect(try RawClient(port: again.port).get("/v1/my/changes?model=1.0&since=1").body.count > 0)
    #expect(again.stop() == 0)
    try folder.seedbank("verify").expect(0)
  }

  @Test func `an endless first step does not delay the shutdown`() throws {
    try origin(Self.endless)
    let run = try TestProgram([SeedbankBinary.path, "run", "--port", "0"], in: folder.path)
    try waitUntilBusy(run.identifier, since: ticks(run.identifier))
    #expect(try run.stop() == .exited(0))
    #expect(!run.output.contains("listening on"))
  }
}
