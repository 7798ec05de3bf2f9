import Foundation
import Support
import Testing

@testable import seedbank

/// What the real process tells a service manager, over a real socket.
@Suite struct ServiceManagerTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Tool.sqlite(
      folder("my.sqlite"),
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop VALUES (1, 'a')")
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: folder.path)
  }

  private func run(
    _ command: String, _ environment: [String: String]
  ) throws -> RunningSeedbank {
    try RunningSeedbank([command, "--port", "0"], in: folder.path, environment: environment)
  }

  @Test func `run is ready once it listens, shows life, and says that it stops`() throws {
    let manager = try ManagerSocket(folder("notify"))
    let server = try run("run", ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"])
    try manager.wait(for: "READY=1")
    try manager.wait(for: "WATCHDOG=1", times: 3)
    // The start asked for time before the first step, and is over with the readiness.
    let start = try #require(manager.lines().firstIndex(of: "EXTEND_TIMEOUT_USEC=60000000"))
    let ready = try #require(manager.lines().firstIndex(of: "READY=1"))
    #expect(start < ready)
    #expect(manager.lines()[ready + 1] == "STATUS=Serving 1 series")
    #expect(!manager.lines().contains("STOPPING=1"))
    #expect(server.stop() == 0)
    #expect(manager.lines().count { $0 == "STOPPING=1" } == 1)
    #expect(manager.lines().count { $0 == "READY=1" } == 1)
  }

  @Test(.full) func `a step that fails shows in the status, and goes from there when it succeeds`() throws {
    let manager = try ManagerSocket("@seedbank-\(UUID())")
    let server = try run("run", ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "STATUS=Serving 1 series")
    let (origin, away) = (folder("my.sqlite"), folder("away.sqlite"))
    try FileManager.default.moveItem(atPath: origin, toPath: away)
    let status = try manager.wait(for: "a failure") { $0.contains("my: There is no origin database") }
    #expect(status.hasPrefix("STATUS=Serving 1 series; my: "))
    let told = manager.lines().count
    try FileManager.default.moveItem(atPath: away, toPath: origin)
    try waitUntil("the failure goes", every: 0.05) {
      manager.lines().dropFirst(told).contains("STATUS=Serving 1 series")
    }
    #expect(server.stop() == 0)
  }

  @Test func `serve tells the same, and a long drain is asked for`() throws {
    try SeedbankBinary.succeed(["regenerate"], in: folder.path)
    let manager = try ManagerSocket("@seedbank-\(UUID())")
    let server = try run(
      "serve",
      [
        "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000", "WATCHDOG_PID": "",
        "SEEDBANK_HTTP_DRAIN_SECONDS": "1",
      ])
    try manager.wait(for: "READY=1")
    try manager.wait(for: "WATCHDOG=1", times: 2)
    #expect(manager.lines().contains("STATUS=Serving 1 series"))
    #expect(server.stop() == 0)
    #expect(manager.lines().suffix(3).first == "STOPPING=1")
    #expect(manager.lines().last == "EXTEND_TIMEOUT_USEC=61000000")
  }

  @Test func `a follower tells what it serves`() throws {
    try SeedbankBinary.succeed(["regenerate"], in: folder.path)
    let manager = try ManagerSocket(folder("notify"))
    let follower = try RunningSeedbank(
      [
        "follow", "seedbank/publication", "--root", "seedbank/root.json", "--to", "copy", "--every", "1",
        "--serve",
        "--port", "0",
      ], in: folder.path, environment: ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "READY=1")
    try manager.wait(for: "STATUS=Serving 1 series")
    #expect(follower.stop() == 0)
    #expect(manager.lines().contains("STOPPING=1"))
  }

  @Test func `serve without a publication is ready and says that there is none`() throws {
    let manager = try ManagerSocket(folder("notify"))
    try FileManager.default.removeItem(atPath: folder("seedbank/publication"))
    let server = try run("serve", ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "nothing served") { $0.hasPrefix("STATUS=Serving nothing yet; ") }
    #expect(server.stop() == 0)
  }

  @Test(.full) func `a first step that does not end asks for time, and is never ready`() throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      CREATE VIEW source AS SELECT id, name FROM shop WHERE (WITH RECURSIVE n(i) AS
      (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)
      """)
    try Data("SELECT id, name FROM source".utf8).write(
      to: URL(fileURLWithPath: folder("seedbank/my/models/1.0/shop.sql")))
    let manager = try ManagerSocket(folder("notify"))
    let run = try TestProgram(
      [SeedbankBinary.path, "run", "--port", "0"], in: folder.path,
      environment: ["NOTIFY_SOCKET": manager.name])
    try manager.wait(for: "EXTEND_TIMEOUT_USEC=60000000", times: 2)
    #expect(try run.stop() == .exited(0))
    #expect(!manager.lines().contains("READY=1"))
    #expect(manager.lines().contains("STOPPING=1"))
  }

  @Test func `a manager that is not there, or cannot be, is no reason to fail`() throws {
    for name in [folder("nobody"), "vsock:2:1", "@"] {
      let server = try run("run", ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000"])
      #expect(server.stop() == 0)
      #expect(server.errors.contains("service manager"), "\(name)")
    }
  }

  // MARK: The variables

  private func manager(_ environment: [String: String]) -> (ServiceManager, [String]) {
    let record = RecordedConsole()
    let manager = ServiceManager(environment, process: 42) { record.console.warning($0) }
    return (manager, record.messages.split(separator: "\n").map(String.init))
  }

  @Test func `signs of life come twice in the manager's time, and only from the process that it means`() {
    let socket = ["NOTIFY_SOCKET": "@x"]
    func interval(_ more: [String: String]) -> Duration? {
      manager(socket.merging(more) { $1 }).0.watchdogInterval
    }
    #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]) == .seconds(15))
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "41"]) == nil)
    #expect(interval([:]) == nil)
    #expect(manager(["WATCHDOG_USEC": "30000000"]).0.watchdogInterval == nil)
    for wrong in ["soon", "-1", "0", "1.5"] {
      let (found, said) = manager(socket.merging(["WATCHDOG_USEC": wrong]) { $1 })
      #expect(found.watchdogInterval == nil)
      #expect(said.count == 1 && said[0].contains("WATCHDOG_USEC: expected microseconds"))
    }
  }

  @Test func `a socket's name that leads nowhere is told, and none is silence`() {
    #expect(manager([:]).1 == [])
    #expect(manager(["NOTIFY_SOCKET": ""]).1 == [])
    for wrong in ["relative", "@", "/" + String(repeating: "x", count: 200)] {
      let (found, said) = manager(["NOTIFY_SOCKET": wrong])
      #expect(!found.isThere)
      #expect(said.count == 1 && said[0].contains("NOTIFY_SOCKET: expected"))
    }
  }

  @Test func `a status is one line, and not endless`() {
    let status = ServiceStatus(series: 2, failures: ["a: one\ntwo", String(repeating: "x", count: 5000)])
    let text = ServiceMessage.status(status.text).text
    #expect(text.hasPrefix("STATUS=Serving 2 series; a: one\\u{A}two; xxx"))
    #expect(text.count < 1000)
    #expect(ServiceStatus(failure: "no file").text == "Serving nothing yet; no file")
  }

  // MARK: Health

  @Test func `a loop that does not come back is no longer healthy, and one at work always is`() {
    let (health, loop) = (ServiceHealth(), DatasetLoop(dataset: "a", work: .changes))
    let start = ContinuousClock.now
    #expect(health.isEachLoopOnTime(at: start))
    health.rests(loop, until: start.advanced(by: .seconds(2)))
    #expect(health.isEachLoopOnTime(at: start.advanced(by: .seconds(2 + ServiceHealth.lateSeconds - 1))))
    #expect(!health.isEachLoopOnTime(at: start.advanced(by: .seconds(2 + ServiceHealth.lateSeconds))))
    health.works(loop)
    #expect(health.isEachLoopOnTime(at: start.advanced(by: .seconds(1_000_000))))
  }

  @Test func `a failure is news once, until something else fails or it is over`() {
    let (health, loop) = (ServiceHealth(), DatasetLoop(dataset: "a", work: .snapshots))
    #expect(health.failed(loop, "one"))
    #expect(!health.failed(loop, "one"))
    #expect(health.failed(loop, "two"))
    #expect(health.failures == ["a: two"])
    #expect(health.succeeded(loop) != nil)
    #expect(health.failures.isEmpty && health.succeeded(loop) == nil)
    #expect(health.failed(loop, "two"))
  }
}
