import Foundation
import SeedFormat
import SeedServer
import SeedSystem
import Support
import Testing

@testable import seedbank

/// How programs are told, without a publisher.
@Suite struct NoticesTests {
  let folder: TemporaryFolder
  private let said = Shared<[String]>([])

  init() throws { folder = try TemporaryFolder() }

  private func notices(
    _ commands: [NoticeKind: [String]], environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    limit: Duration = .seconds(1000), retryPause: Duration = Notices.retryPause
  ) -> Notices {
    var configuration = DeploymentConfiguration(file: folder("seedbank.json"), datasets: [])
    configuration.notices = commands
    return Notices(configuration, environment, limit: limit, retryPause: retryPause) { [said] record in
      said.withLock { $0.append(record.message) }
    }
  }

  private func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script] }

  private var messages: [String] { said.withLock { $0 } }

  private func documents(_ name: String) throws -> [JSONValue] {
    try String(contentsOfFile: folder(name), encoding: .utf8).split(separator: "\n")
      .map { try JSONValue(parsing: Array($0.utf8)) }
  }

  @Test func `a program reads one object with what happened`() async throws {
    let notices = notices([.published: shell("cat >> \(folder("out"))")])
    notices.tell(.published, ["series": "a/1"])
    notices.tell(.failed, ["nobody": "hears"])
    await notices.finish(within: .seconds(100))
    let document = try #require(try documents("out").first)
    #expect(document["event"]?.string == "published" && document["dropped"]?.integer == 0)
    #expect(document["configuration"]?.string == folder("seedbank.json"))
    #expect(document["facts"]?.elements == [["series": "a/1"]])
    #expect(UTCTime(document["time"]?.string ?? "") != nil)
    #expect(messages == [])
  }

  @Test func `what comes while a program runs is told by the next, in order`() async throws {
    try Tool.run(["mkfifo", folder("gate")])
    let notices = notices([.published: shell("read x < \(folder("gate")); cat >> \(folder("out"))")])
    for number in 0..<5 { notices.tell(.published, ["n": JSONValue(number)]) }
    for _ in 0..<2 { try Tool.run(["sh", "-c", "echo go > gate"], in: folder.path) }
    await notices.finish(within: .seconds(100))
    let told = try documents("out").map { $0["facts"]?.elements?.compactMap { $0["n"]?.integer } ?? [] }
    #expect(told == [[0], [1, 2, 3, 4]])
  }

  @Test func `of too many facts the newest are told, and how many are left out`() {
    var queue = NoticeQueue()
    #expect(queue.add(Notice(fact: "first")).batch == NoticeQueue.Batch(notices: [Notice(fact: "first")]))
    var dropped: [Int] = []
    for number in 0..<NoticeQueue.mostFacts + 7 {
      let outcome = queue.add(Notice(fact: JSONValue(number)))
      #expect(outcome.batch == nil)
      if let number = outcome.dropped?.fact.integer { dropped.append(number) }
    }
    #expect(dropped == Array(0..<7))
    let batch = queue.next()
    #expect(batch?.dropped == 7 && batch?.notices.count == NoticeQueue.mostFacts)
    #expect(batch?.notices.first?.fact.integer == 7)
    #expect(queue.isBusy && queue.next() == nil && !queue.isBusy)
    #expect(queue.add(Notice(fact: "again")).batch != nil)
  }

  @Test func `kinds do not wait for each other, and nobody waits for them`() async throws {
    let notices = notices([
      .failed: shell("sleep 1000"), .published: shell("cat >> \(folder("out"))"),
    ])
    notices.tell(.failed, ["a": 1])
    notices.tell(.published, ["b": 2])
    try waitUntil("the other kind is told", every: 0.01) { (try? documents("out").count) == 1 }
    await notices.finish(within: .milliseconds(100))
    #expect(messages == ["on.failed: /bin/sh was ended by the signal 9."])
  }

  @Test func `a program that hangs is ended and told of`() async throws {
    let notices = notices([.held: shell("echo working; sleep 1000")], limit: .milliseconds(300))
    notices.tell(.held, ["a": 1])
    await notices.finish(within: .seconds(100))
    #expect(messages.count == 1)
    #expect(
      messages[0].hasPrefix("on.held: /bin/sh took longer than 0.3 seconds, and was ended; it said: working"))
  }

  @Test func `a failure is told with the end of what the program said, and megabytes are no trouble`()
    async throws
  {
    let notices = notices([.published: shell("yes 0123456789 | head -c 5000000; printf '\\033[2J'; exit 7")])
    notices.tell(.published, [:])
    await notices.finish(within: .seconds(100))
    #expect(messages.count == 1 && messages[0].hasPrefix("on.published: /bin/sh ended with 7; it said: …"))
    #expect(messages[0].count < 1000 && !messages[0].contains("\u{1B}"))
  }

  @Test func `a program that is missing or may not be run is named, and nothing else happens`() async throws {
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder("plain")))
    for (command, message) in [
      (["/nowhere/tell"], "there is no program /nowhere/tell: put it there, or correct the path."),
      (
        ["no-such-program-here"],
        "there is no program no-such-program-here in PATH: put it there, or correct the path."
      ),
      (["./plain"], "this user may not run \(folder("plain")): chmod +x it."),
    ] {
      let notices = notices([.failed: command])
      notices.tell(.failed, [:])
      await notices.finish(within: .seconds(100))
      #expect(messages.last == "on.failed: \(message)")
    }
  }

  @Test func `a program sees the environment without keys and without the service manager`() async throws {
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": "/h", "NOTIFY_SOCKET": "@x",
      "SEEDBANK_TIMESTAMP_KEY_FILE": "/secret", "SEEDBANK_KEYS": "/secret", "SEEDBANK_CONFIG": "c",
    ]
    let notices = notices([.published: shell("/usr/bin/env > \(folder("out"))")], environment: environment)
    notices.tell(.published, [:])
    await notices.finish(within: .seconds(100))
    let lines = try String(contentsOfFile: folder("out"), encoding: .utf8).split(separator: "\n").map(
      String.init)
    #expect(Set(lines).isSuperset(of: ["PATH=/usr/bin:/bin", "HOME=/h", "SEEDBANK_CONFIG=c"]))
    #expect(!lines.contains { $0.contains("/secret") || $0.hasPrefix("NOTIFY") })
  }

  @Test func `the same is told once, until it is forgotten, by another process too`() async throws {
    func tell(_ text: String, forgetting: Bool = false) async throws -> Int {
      let notices = notices([.failed: shell("cat >> \(folder("out"))")])
      if forgetting { notices.forget("a changes") }
      notices.tell(.failed, [:], once: .init(topic: "a changes", text: text))
      await notices.finish(within: .seconds(100))
      return try documents("out").count
    }
    #expect(try await tell("one") == 1)
    #expect(try await tell("one") == 1)
    #expect(try await tell("two") == 2)
    #expect(try await tell("one") == 3)
    #expect(try await tell("one", forgetting: true) == 4)
    // A file that was damaged by hand costs a repetition, and no more.
    try Data("{".utf8).write(to: URL(fileURLWithPath: folder("state/notices.json")))
    #expect(try await tell("one") == 5)
    #expect(try await tell("one") == 5)
  }

  @Test func `a program that failed has not been told, and hears it after a pause or from the next process`()
    async throws
  {
    let failing = shell("cat >> \(folder("out")); test -e \(folder("well"))")
    func tell(_ notices: Notices) async throws -> Int {
      notices.tell(.failed, [:], once: .init(topic: "a changes", text: "one"))
      // All that was begun is told; the process goes on.
      try waitUntil("it is told", every: 0.01) { notices.isIdle }
      return try documents("out").count
    }
    let patient = notices([.failed: failing], retryPause: .seconds(1000))
    #expect(try await tell(patient) == 1)
    #expect(try await tell(patient) == 1)
    let hasty = notices([.failed: failing], retryPause: .zero)
    #expect(try await tell(hasty) == 2)
    #expect(try await tell(hasty) == 3)
    try Data().write(to: URL(fileURLWithPath: folder("well")))
    #expect(try await tell(hasty) == 4)
    #expect(try await tell(hasty) == 4)
    #expect(try await tell(notices([.failed: failing])) == 4)
    #expect(messages.count == 3)
  }

  @Test func `what is forgotten while it is told is news when it comes again`() async throws {
    try Tool.run(["mkfifo", folder("gate")])
    let command = shell("read x < \(folder("gate")); cat >> \(folder("out"))")
    let entry = NoticeMemory.Entry(topic: "a changes", text: "one")
    let notices = notices([.failed: command])
    notices.tell(.failed, [:], once: entry)
    notices.forget("a changes")
    try Tool.run(["sh", "-c", "echo go > gate"], in: folder.path)
    await notices.finish(within: .seconds(100))
    #expect(try documents("out").count == 1)
    #expect(NoticeMemory(folder("state"), retryPause: .zero).begin(entry))
  }
}
