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

  private func run(
    _ command: String, _ environment: [String: String]
  ) throws -> RunningSeedbank {
    try RunningSeedbank([command, "--port", "0"], in: folder.path, environment: environment)
  }

  @Test func `run sends READY=1 once it listens and STOPPING=1 at the end`() throws {
    let manager = try ManagerSocket(folder("notify"))
    let server = try run("run", ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "READY=1")
    // Before the first step, run extends the start timeout.
    #expect(manager.lines().first == "EXTEND_TIMEOUT_USEC=60000000")
    #expect(manager.lines().last == "READY=1")
    #expect(server.stop() == 0)
    #expect(manager.lines().suffix(3) == ["READY=1", "STOPPING=1", "EXTEND_TIMEOUT_USEC=60000000"])
  }

  @Test func `serve sends READY=1 and extends the stop timeout for a long drain`() throws {
    try folder.succeed("regenerate")
    let manager = try ManagerSocket("@seedbank-\(UUID())")
    let server = try run("serve", ["NOTIFY_SOCKET": manager.name, "SEEDBANK_HTTP_DRAIN_SECONDS": "1"])
    try manager.wait(for: "READY=1")
    #expect(server.stop() == 0)
    #expect(manager.lines() == ["READY=1", "STOPPING=1", "EXTEND_TIMEOUT_USEC=61000000"])
  }

  @Test func `follow sends READY=1 and STOPPING=1`() throws {
    try folder.succeed("regenerate")
    let manager = try ManagerSocket(folder("notify"))
    let follower = try RunningSeedbank(
      [
        "follow", "seedbank/publication", "--root", "seedbank/root.json", "--to", "copy", "--every", "1",
        "--serve", "--port", "0",
      ], in: folder.path, environment: ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "READY=1")
    #expect(follower.stop() == 0)
    #expect(manager.lines().contains("STOPPING=1"))
  }

  @Test func `serve without a publication sends READY=1`() throws {
    let manager = try ManagerSocket(folder("notify"))
    try folder.remove("seedbank/publication")
    let server = try run("serve", ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "READY=1")
    #expect(server.stop() == 0)
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
      let server = try run("run", ["NOTIFY_SOCKET": name])
      #expect(server.stop() == 0)
      #expect(server.errors.contains("Cannot notify the service manager"), "\(name)")
    }
  }
}
