import Foundation
import SeedFormat
import SeedServer
import SeedTrust
import Support
import Testing

/// What a monitor reads: one line on stdout, and an exit code.
@Suite(.bounded) struct StatusCheckTests {
  let deployment: OperatedDeployment
  private let clock: MovedClock

  init() throws { (deployment, clock) = (try OperatedDeployment(), try MovedClock()) }

  private func check(_ more: String..., days: Int = 0, seconds: Int = 0) throws -> ProgramOutcome {
    try check(more, days: days, seconds: seconds)
  }

  private func check(_ more: [String], days: Int = 0, seconds: Int = 0) throws -> ProgramOutcome {
    let ahead = clock.words(seconds: days * MovedClock.secondsPerDay + seconds)
    let words = ahead + [SeedbankBinary.path, "status", "--check"] + more
    let outcome = try TestProgram.run(words, in: deployment.folder.path, within: longestWait)
    let isOneLine = outcome.output.split(separator: "\n").count == 1 && outcome.errors.isEmpty
    #expect(isOneLine || outcome.status == 64, "\(outcome)")
    return outcome
  }

  @Test func `all is well`() throws {
    let outcome = try check("--older-than", "26h", "--no-step-for", "15m")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("ok: my/1: version 3, "), "\(outcome)")
    let json = try check("--json").json()
    #expect(json["state"]?.string == "ok" && json["problems"]?.elements == [])
  }

  @Test func `old data, a publisher that stands still and signatures that end soon are warnings`() throws {
    let old = try check("--older-than", "26h", "--no-step-for", "15m", days: 2)
    #expect(old.status == 1 && old.output.hasPrefix("warning: "), "\(old)")
    #expect(old.output.contains("version 3 is 2 days old, more than 26 hours"))
    #expect(old.output.contains("the last publish step was 2 days ago, more than 15 minutes"))
    let signatures = try check(days: 5)
    #expect(signatures.status == 1 && signatures.output.contains("timestamp: its metadata expires at"))
  }

  @Test func `without options the limits come from the configuration and from who published last`() throws {
    let timer = try check(days: 2)
    #expect(timer.status == 1 && timer.output.contains("2 days ago, more than 26 hours"), "\(timer)")
    #expect(!timer.output.contains(" old, more than"), "nobody said how old it may be")
    let run = try RunningSeedbank(
      ["run", "--port", "0"], in: deployment.folder.path,
      environment: ["PATH": "/usr/bin:/bin", "SEEDBANK_DATASETS_MY_SCHEDULE_CHANGE_SECONDS": "600"])
    try waitUntil("it has told") {
      deployment.publication.facts.read(try Series("my", major: 1))?.checkSeconds != nil
    }
    #expect(run.stop() == 0)
    #expect(try check().status == 0)
    let still = try check(seconds: 460)
    #expect(
      still.status == 1 && still.output.contains("ago, more than 7 minutes: does the publisher still run?"))
  }

  @Test func `a history that is gone leaves nobody to know, and that is no ok`() throws {
    try Tool.run(["rm", deployment.folder("seedbank/state/history.sqlite")])
    let outcome = try check()
    #expect(
      outcome.status == 1 && outcome.output.contains("nobody knows whether it is current"), "\(outcome)")
  }

  @Test func `a series that is held is a warning`() throws {
    #expect(try deployment.seedbank("rollback", "--to", "2").status == 0)
    let outcome = try check()
    #expect(outcome.status == 1 && outcome.output.contains("held at the content of version 2"))
    let json = try check("--json").json()
    #expect(json["problems"]?.elements?.first?["state"]?.string == "warning")
  }

  @Test func `expired signatures are critical, and stand before warnings`() throws {
    let outcome = try check("--older-than", "1h", days: 8)
    #expect(outcome.status == 2 && outcome.output.hasPrefix("critical: timestamp: its metadata expired at"))
    #expect(outcome.output.contains("version 3 is 8 days old"))
  }

  @Test func `what cannot be read is critical`() throws {
    try Tool.run(["rm", deployment.folder("seedbank/publication/metadata/timestamp.json")])
    #expect(try check().status == 2)
    try Tool.run(["rm", deployment.folder("seedbank/seedbank.json")])
    let outcome = try check("--json")
    #expect(outcome.status == 2)
    #expect(try outcome.json()["state"]?.string == "critical")
  }

  @Test func `a published file that is gone or cut is critical`()
    throws
  {
    let objects = try deployment.publication.published().series.values.flatMap(\.metadata.objects)
    let files = objects.map { deployment.publication.file($0) }
    try Tool.run(["truncate", "-s", "-1", files[0]])
    #expect(try check().status == 2)
    try Tool.run(["rm"] + files)
    let outcome = try check()
    #expect(
      outcome.status == 2 && outcome.output.contains("and \(files.count - 1) more: missing"), "\(outcome)")
  }

  @Test func `a deployment that has published nothing is critical`() throws {
    let folder = deployment.folder
    try Tool.run(["rm", "-r", folder("seedbank")])
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: folder.path)
    let outcome = try check()
    #expect(outcome.status == 2 && outcome.output.contains("nothing is published yet"), "\(outcome)")
  }

  @Test(arguments: [
    "--older-than 1w", "--older-than", "--no-step-for 0s", "--older-than 2000000d", "--dataset nope",
  ])
  func `a limit that is none is a mistake of the command line`(_ words: String) throws {
    let outcome = try check(words.split(separator: " ").map(String.init))
    #expect(outcome.status == 64)
    let isTime = words.split(separator: " ").count == 2 && !words.hasPrefix("--dataset")
    #expect(
      !isTime || outcome.errors.contains("Expected a whole number from 1 to 1000000 and a unit, such as 90s"),
      "\(outcome.errors)")
  }

  @Test func `a limit without --check is a mistake of the command line`() throws {
    let outcome = try deployment.seedbank("status", "--older-than", "1h")
    #expect(outcome.status == 64 && outcome.errors.contains("--check beside it"))
  }
}
