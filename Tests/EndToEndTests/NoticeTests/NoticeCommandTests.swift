import Foundation
import SeedFormat
import SeedServer
import SeedTrust
import Support
import Testing

/// What the real process tells an operator's program.
@Suite struct NoticeCommandTests {
  let deployment: OperatedDeployment

  init() throws {
    deployment = try OperatedDeployment()
    let script = "#!/bin/sh\ncat >> \"$1\"\n"
    try Data(script.utf8).write(to: URL(fileURLWithPath: deployment.folder("seedbank/tell")))
    try Tool.run(["chmod", "+x", deployment.folder("seedbank/tell")])
    try configure(
      ["published", "failed", "held", "expiring"].map { ($0, ["./tell", deployment.folder($0)]) })
  }

  private func configure(_ commands: [(String, [String])]) throws {
    let file = deployment.folder("seedbank/seedbank.json")
    let json = try JSONValue(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
    let members = (json.members ?? []).filter { $0.name != "on" }
    let on = JSONValue.object(commands.map { JSONMember($0, JSONValue(strings: $1)) })
    try Data(JSONValue.object(members + [JSONMember("on", on)]).bytes).write(to: URL(fileURLWithPath: file))
  }

  /// All facts of a kind so far.
  private func facts(_ kind: String) -> [JSONValue] {
    let text = (try? String(contentsOfFile: deployment.folder(kind), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").flatMap { line in
      (try? JSONValue(parsing: Array(line.utf8)))?["facts"]?.elements ?? []
    }
  }

  private func regenerate(_ status: Int32) throws {
    let outcome = try deployment.seedbank("regenerate")
    #expect(outcome.status == status, "\(outcome.output)\(outcome.errors)")
  }

  @Test func `regenerate tells what it published before it ends, and nothing where nothing changed`() throws {
    try regenerate(0)
    #expect(facts("published").isEmpty)
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    #expect(try deployment.seedbank("regenerate", "--dry-run").status == 0)
    #expect(facts("published").isEmpty)
    try regenerate(0)
    let fact = try #require(facts("published").first)
    #expect(fact["series"]?.string == "my/1" && fact["version"]?.integer == 4)
    #expect(fact["outcome"]?.string == "changed" && fact["tables"]?["shop"]?["updated"]?.integer == 1)
  }

  @Test func `a failure is told once, and again when it comes after a success`() throws {
    let (origin, away) = (deployment.folder("my.sqlite"), deployment.folder("away.sqlite"))
    for round in 1...2 {
      try FileManager.default.moveItem(atPath: origin, toPath: away)
      for _ in 0..<3 { try regenerate(69) }
      #expect(facts("failed").count == round)
      try FileManager.default.moveItem(atPath: away, toPath: origin)
      try regenerate(0)
    }
    let fact = facts("failed")[0]
    #expect(fact["dataset"]?.string == "my" && fact["work"]?.string == "changes")
    #expect(fact["error"]?["kind"]?.string == "unavailable" && fact["error"]?["exitCode"]?.integer == 69)
    #expect(facts("held").isEmpty)
  }

  @Test func `a dataset that lost its rows is told as held, with the tables`() throws {
    let file = deployment.folder("seedbank/my/dataset.json")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing(#""minimumRows": 100"#, with: #""minimumRows": 1"#)
      .write(toFile: file, atomically: false, encoding: .utf8)
    try deployment.origin("DELETE FROM shop")
    try regenerate(65)
    try regenerate(65)
    let fact = try #require(facts("held").first)
    #expect(facts("held").count == 1 && facts("failed").isEmpty)
    #expect(fact["dataset"]?.string == "my" && fact["message"]?.string?.isEmpty == false)
    let table = fact["series"]?.elements?.first?["tables"]?.elements?.first
    #expect(
      table?["table"]?.string == "shop" && table?["before"]?.integer == 3 && table?["after"]?.integer == 0)
  }

  @Test(.full) func `run tells what it publishes, and ends though a program hangs`() throws {
    try configure([("published", ["sh", "-c", "cat >> \(deployment.folder("published")); sleep 1000"])])
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: deployment.folder.path, environment: ["PATH": "/usr/bin:/bin"])
    for number in 0..<3 {
      try deployment.origin("UPDATE shop SET name = 'new \(number)' WHERE id = 1")
      // Publishing does not wait for the program.
      try waitUntil("it is published", every: 0.05) {
        try deployment.publication.published().series.values.first?.metadata.state.head.number == 4 + number
      }
    }
    try waitUntil("the first is told", every: 0.05) { facts("published").count == 1 }
    #expect(server.stop() == 0)
    #expect(server.errors.contains("on.published: sh was ended by the signal 9."))
  }

  @Test func `config check finds programs that cannot be started`() throws {
    #expect(try deployment.seedbank("config", "check").status == 0)
    try configure([("failed", ["./none"]), ("published", ["./seedbank.json"]), ("held", ["no-such-program"])])
    let outcome = try deployment.seedbank("config", "check", environment: ["PATH": "/usr/bin:/bin"])
    #expect(outcome.status == 78)
    let text = outcome.output + outcome.errors
    #expect(text.contains("on.failed: there is no program \(deployment.folder("seedbank/none"))"))
    #expect(
      text.contains("on.published: this user may not run \(deployment.folder("seedbank/seedbank.json"))"))
    #expect(text.contains("on.held: there is no program no-such-program in PATH"))
  }

  @Test func `a script that does not say what runs it is warned of, and publishing goes on`() throws {
    let script = deployment.folder("seedbank/tell")
    try Data("echo told\n".utf8).write(to: URL(fileURLWithPath: script))
    let words = "on.published: \(script) is a text that does not say what runs it"
    let checked = try deployment.seedbank("config", "check")
    #expect(checked.status == 0 && checked.output.contains("warning: "), "\(checked)")
    #expect(
      checked.output.contains(
        "\(words), so the system cannot start it: give it a first line such as #!/bin/sh"))
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    let outcome = try deployment.seedbank("regenerate")
    #expect(outcome.status == 0 && outcome.errors.contains("\(words)"), "\(outcome.errors)")
    // What it says mends it; programs that are no text are no concern.
    try Data("#!/bin/sh\ncat >> \"$1\"\n".utf8).write(to: URL(fileURLWithPath: script))
    #expect(try deployment.seedbank("config", "check").output == "nothing is wrong\n")
    try configure([("published", ["/bin/cat"])])
    #expect(try deployment.seedbank("config", "check").output == "nothing is wrong\n")
  }
}
