import Foundation
import Support
import Testing

/// Notifications of the real process to a service manager over a real socket.
@Suite struct ServiceManagerTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Tool.sqlite(
      folder("my.sqlite"),
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop VALUES (1, 'a')")
    try folder.succeed("init", "my.sqlite")
  }

  private func run(_ command: [String], _ notifySocket: String, _ environment: [String: String] = [:]) throws
    -> RunningSeedbank
  {
    try RunningSeedbank(
      command + ["--port", "0"], in: folder.path,
      environment: environment.merging(["NOTIFY_SOCKET": notifySocket]) { $1 })
  }

  @Test func `run sends READY=1 once it listens and STOPPING=1 at the end`() throws {
    let manager = try ManagerSocket(folder("notify"))
    let server = try run(["run"], manager.name)
    try manager.wait(for: "READY=1")
    // Before the first step, run extends the start timeout.
    #expect(manager.lines().first == "EXTEND_TIMEOUT_USEC=60000000")
    #expect(manager.lines().last == "READY=1")
    #expect(server.stop() == 0)
    #expect(manager.lines().suffix(3) == ["READY=1", "STOPPING=1", "EXTEND_TIMEOUT_USEC=60000000"])
  }

  @Test func `serve and follow send READY=1 and STOPPING=1, and serve needs no publication`() throws {
    try folder.succeed("regenerate")
    let drain = ["SEEDBANK_HTTP_DRAIN_SECONDS": "1"]
    #expect(
      try messages(of: ["serve"], to: "@seedbank-\(UUID())", drain) == [
        "READY=1", "STOPPING=1", "EXTEND_TIMEOUT_USEC=61000000",
      ])
    let follow = [
      "follow", "seedbank/publication", "--root", "seedbank/root.json", "--to", "copy", "--every", "1",
      "--serve",
    ]
    #expect(try messages(of: follow, to: folder("follow")).contains("STOPPING=1"))
    try folder.remove("seedbank/publication")
    #expect(try messages(of: ["serve"], to: folder("serve")).first == "READY=1")
  }

  /// Returns the manager's messages from a command that is stopped once it is ready.
  private func messages(of command: [String], to name: String, _ environment: [String: String] = [:]) throws
    -> [String]
  {
    let manager = try ManagerSocket(name)
    let server = try run(command, manager.name, environment)
    try manager.wait(for: "READY=1")
    #expect(server.stop() == 0)
    return manager.lines()
  }

  @Test(.full) func `an endless first step extends the start timeout and never sends READY=1`() throws {
    try Tool.sqlite(
      folder("my.sqlite"), "CREATE VIEW source AS SELECT id, name FROM shop WHERE \(Tool.endless)")
    try folder.write("SELECT id, name FROM source", to: "seedbank/my/models/1.0/shop.sql")
    let manager = try ManagerSocket(folder("notify"))
    let run = try TestProgram(
      [SeedbankBinary.path, "run", "--port", "0"], in: folder.path,
      environment: ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "EXTEND_TIMEOUT_USEC=60000000", times: 2)
    #expect(try run.stop() == .exited(0))
    #expect(!manager.lines().contains("READY=1"))
    #expect(manager.lines().contains("STOPPING=1"))
  }

  @Test func `an unreachable notify socket is logged and does not stop run`() throws {
    for name in [folder("nobody"), "vsock:2:1", "@", "/" + String(repeating: "x", count: 200)] {
      let server = try run(["run"], name)
      #expect(server.stop() == 0)
      #expect(server.errors.contains("Cannot notify the service manager"), "\(name)")
    }
  }
}
