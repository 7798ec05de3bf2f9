import Dispatch
import Foundation
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import Support
import Testing

@Suite struct NoticesTests {
  let folder: TemporaryFolder
  private let logged = Shared<[String]>([])

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func notices(
    _ command: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    limit: Duration = .seconds(100)
  ) -> Notices {
    Notices([.failed: command], in: folder.path, environment, limit: limit) { [logged] record in
      logged.withLock { $0.append(record.message) }
    }
  }

  private func send(_ notices: Notices) { notices.send(.failed, ["dataset": "my"]) }

  private func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script] }

  private var messages: [String] { logged.withLock { $0 } }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder(name), encoding: .utf8)
  }

  @Test func `a program reads one line of JSON, without key variables or the service manager's socket`()
    throws
  {
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": "/h", "NOTIFY_SOCKET": "@x",
      "SEEDBANK_TIMESTAMP_KEY_FILE": "/secret", "SEEDBANK_KEYS": "/secret", "SEEDBANK_CONFIG": "c",
    ]
    let script = "cat > \(folder("out")); /usr/bin/env > \(folder("variables"))"
    send(notices(shell(script), environment: environment))
    #expect(try text("out") == #"{"event":"failed","dataset":"my"}"# + "\n")
    #expect(messages == [])
    let lines = try text("variables").split(separator: "\n").map(String.init)
    #expect(Set(lines).isSuperset(of: ["PATH=/usr/bin:/bin", "HOME=/h", "SEEDBANK_CONFIG=c"]))
    #expect(!lines.contains { $0.contains("/secret") || $0.hasPrefix("NOTIFY") })
  }

  @Test func `a program that hangs is killed at its time limit, and its output is logged`() throws {
    send(notices(shell("echo working; sleep 1000"), limit: .milliseconds(300)))
    #expect(
      messages == ["on.failed: /bin/sh took longer than 0.3 seconds, and was ended; it said: working"])
  }

  @Test func `a detached process outlives the program's time limit`() throws {
    let script = "setsid sh -c 'sleep 0.6; echo done > \(folder("late"))' & sleep 1000"
    send(notices(shell(script), limit: .milliseconds(300)))
    #expect(messages.count == 1 && messages[0].contains("took longer than 0.3 seconds"), "\(messages)")
    try waitUntil("the detached process is done", every: 0.01) { (try? text("late")) == "done\n" }
  }

  @Test func `a failed program is logged with the end of its output`() throws {
    send(notices(shell("yes 0123456789 | head -c 5000000; printf '\\033[2J'; exit 7")))
    #expect(messages.count == 1 && messages[0].hasPrefix("on.failed: /bin/sh ended with 7; it said: …"))
    #expect(messages[0].count < 1000 && !messages[0].contains("\u{1B}"))
  }

  @Test func `a program that cannot be started is logged with its path`() throws {
    send(notices(["/nowhere/tell"]))
    #expect(
      messages == [
        "on.failed: there is no program /nowhere/tell: put it there, or correct the path."
      ])
  }

  @Test func `programs run one after the other`() throws {
    let notices = notices(
      shell("echo begin >> \(folder("out")); sleep 0.05; echo end >> \(folder("out"))"))
    DispatchQueue.concurrentPerform(iterations: 4) { _ in notices.send(.failed, ["dataset": "my"]) }
    #expect(try text("out") == String(repeating: "begin\nend\n", count: 4))
  }

  @Test func `shutdown kills the running program and starts no other`() async throws {
    let notices = notices(shell("echo started >> \(folder("out")); sleep 1000"))
    async let told: Void = blocking { notices.send(.failed, ["dataset": "my"]) }
    try await until { (try? text("out")) == "started\n" }
    notices.end()
    try await told
    #expect(messages == ["on.failed: /bin/sh was ended by the signal 9."])
    send(notices)
    #expect(try text("out") == "started\n" && messages.count == 1)
  }
}
