import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

/// A publisher names the process or the full disk that holds it up, and SIGTERM ends its wait.
@Suite struct HeldUpTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private var folder: TemporaryFolder { deployment.folder }

  private func program(_ words: String...) throws -> TestProgram {
    try TestProgram([SeedbankBinary.path] + words, in: folder.path)
  }

  private func run(_ environment: [String: String] = [:]) throws -> RunningSeedbank {
    try RunningSeedbank(["run", "--port", "0"], in: folder.path, environment: environment)
  }

  /// Starts a publisher and stops its process in a step that never ends.
  private func stoppedPublisher() throws -> TestProgram {
    try deployment.origin("CREATE VIEW source AS SELECT id, name, rank FROM shop WHERE \(Tool.endless)")
    try Data("SELECT id, name, rank FROM source".utf8).write(to: URL(filePath: projection))
    let publisher = try program("regenerate")
    try waitUntil("it holds the lock") {
      LockHolder.name(of: folder("seedbank/publication/.lock")) == "process \(publisher.identifier), seedbank"
    }
    publisher.send(SIGSTOP)
    return publisher
  }

  private var projection: String { folder("seedbank/my/models/1.0/shop.sql") }

  private func isOpen(_ file: String, by process: pid_t) -> Bool {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasSuffix(file) == true
    }
  }

  @Test(.full) func `a stopped publisher that holds the lock is named, and its end ends the wait`() throws {
    let publisher = try stoppedPublisher()
    let holder = "(process \(publisher.identifier), seedbank)"
    for words in [["regenerate"], ["keys", "renew", "root"]] {
      let outcome = try SeedbankBinary.run(words, in: folder.path)
      #expect(outcome.status == 75 && outcome.errors.contains(holder), "\(words): \(outcome)")
    }
    try deployment.seedbank("status", "--check").expect(1, output: "the last step failed: another publisher")
    let other = try run()
    try waitUntil("run logs the holder") { other.errors.contains(holder) }
    #expect(other.stop() == 0)
    publisher.end()
    try FileManager.default.removeItem(atPath: projection)
    #expect(try deployment.seedbank("regenerate").status == 0)
    #expect(try !deployment.seedbank("status", "--check").output.contains("the last step failed"))
  }

  @Test func `a second run ends at once and names the first, until that one is killed`() throws {
    let first = try run()
    let second = try folder.seedbank("run", "--port", "0")
    #expect(second.status == 75 && second.output.isEmpty)
    #expect(second.errors.contains("(process \(first.identifier), seedbank): end it first"), "\(second)")
    try deployment.origin("UPDATE shop SET name = name || '!'")
    #expect(try deployment.seedbank("regenerate").status == 0)
    let facts = deployment.publication.facts.read(try SeedSeries("my", major: 1))
    #expect(facts?.checkSeconds != nil, "monitors must expect the steps of the run")
    #expect(kill(first.identifier, SIGKILL) == 0)
    #expect(first.waitForEnd() == SIGKILL)
    #expect(try run().stop() == 0)
  }

  @Test func `SIGTERM ends a publisher that waits for a stopped one`() throws {
    let publisher = try stoppedPublisher()
    let other = try program("regenerate")
    try waitUntil("it opens the lock") { isOpen("/publication/.lock", by: other.identifier) }
    let ending = try other.stop()
    #expect([.killed(signal: SIGTERM), .exited(75)].contains(ending), "\(other.errors)")
    #expect(!other.errors.contains("another publisher"), "the signal ended its wait, not the time limit")
    publisher.end()
  }

  @Test func `a disk that fills while run waits is named in log and status, and SIGTERM ends run`() throws {
    let injector = try FaultInjector()
    let isFull = folder("full")
    let publisher = try run([
      "LD_PRELOAD": injector.library, "SEEDBANK_FAULT": "enospc-on:1",
      "SEEDBANK_FAULT_ON": "publication/targets", "SEEDBANK_FAULT_WHILE": isFull,
    ])
    try Data().write(to: URL(filePath: isFull))
    try deployment.origin("UPDATE shop SET name = 'later' WHERE id = 1")
    let words = "No space left on device"
    try waitUntil("the log names it") { publisher.errors.contains(words) }
    #expect(publisher.errors.contains(" free): free some space, then run the command again"))
    #expect(try deployment.seedbank("status").output.contains(words))
    try deployment.seedbank("status", "--check").expect(1, output: words)
    #expect(publisher.stop() == 0)
    try FileManager.default.removeItem(atPath: isFull)
    #expect(try deployment.seedbank("regenerate").output.contains("version 4"))
  }
}
