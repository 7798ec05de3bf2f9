import SeedFormat
import Support
import Testing

@Suite struct RollbackCommandTests {
  private func head(_ deployment: OperatedDeployment) throws -> (version: Int, rows: SeedRows) {
    try #require(
      try PublicationProbe(publication: deployment.publication).head(try SeedSeries("my", major: 1)))
  }

  @Test func `a rollback holds the series with exit code 65 until --resume`() throws {
    let deployment = try OperatedDeployment()
    try expectOnlyPrinting(deployment)
    let outcome = try deployment.seedbank("rollback", "--to", "1", "--dataset", "my", "--series", "1").expect(
      0, "is held at the content of version 1")
    #expect(outcome.output.hasPrefix("my/1: version 4, 0 inserted, 1 updated, 2 deleted"))
    #expect(try deployment.folder.succeed("diff", "1", "4") == "shop: the same\n")
    try deployment.origin("UPDATE shop SET name = 'later'")
    let held = try deployment.seedbank("regenerate").expect(65, "level=error", "--resume")
    #expect(try held.output == "my/1: held at version 4\n" && head(deployment).version == 4)
    let status = try #require(try deployment.json("status").first?["series"]?.elements?.first)
    #expect(status["hold"]?["version"]?.integer == 1)
    try deployment.folder.succeed("verify")
    try deployment.seedbank("regenerate", "--resume", "--json").expect(0, output: "\"version\":5")
    try deployment.folder.succeed("model", "new")
    try deployment.folder.succeed("regenerate")
    func expectRefusal(_ words: String) throws {
      for more in [["--dry-run"], []] {
        try SeedbankBinary.run(["rollback", "--to", "1"] + more, in: deployment.folder.path).expect(65, words)
      }
    }
    try expectRefusal("a rollback must stay within one model: choose from 6")
    // Nothing is held.
    try deployment.folder.succeed("regenerate")
    try deployment.folder.succeed("model", "retire", "1")
    try expectRefusal("is not published or is retired")
  }

  /// A dry run and a rollback to an impossible version change nothing.
  private func expectOnlyPrinting(_ deployment: OperatedDeployment) throws {
    #expect(
      try deployment.folder.succeed("rollback", "--to", "1", "--dry-run") == """
        my/1: would publish version 4 with the content of version 1, and hold the series
          shop: 0 inserted, 1 updated, 2 deleted

        """)
    let ahead = try deployment.seedbank("rollback", "--to", "9").expect(65)
    #expect(ahead.errors == "Error: There is no version 9 of my/1: the newest is 3.\n")
    try deployment.seedbank("rollback").expect(64)
    try deployment.seedbank("rollback", "--to", "0").expect(64)
    #expect(try head(deployment).version == 3)
    // Nothing is held.
    try deployment.folder.succeed("regenerate")
  }

  @Test func `a held series that also shrank is published by one command, which the error names`() throws {
    let deployment = try OperatedDeployment()
    try deployment.origin("INSERT INTO shop SELECT value, 'n', 1 FROM generate_series(10, 500)")
    try deployment.folder.succeed("regenerate")
    try deployment.folder.succeed("rollback", "--to", "4")
    try deployment.origin("DELETE FROM shop")
    let command = "'seedbank regenerate --dataset my --resume --accept-shrink'"
    for preview in [[], ["--dry-run"]] {
      try SeedbankBinary.run(["regenerate", "--resume"] + preview, in: deployment.folder.path).expect(
        65, command)
    }
    try deployment.seedbank("regenerate", "--accept-shrink").expect(
      65, "'seedbank regenerate --resume --accept-shrink'")
    try deployment.folder.succeed("regenerate", "--resume", "--accept-shrink")
  }

  @Test(.full) func `run warns once if the origin of a held series changes`() throws {
    let deployment = try OperatedDeployment()
    let server = try RunningSeedbank(["run", "--port", "0"], in: deployment.folder.path)
    try eventually("no other process publishes") {
      let outcome = try deployment.folder.seedbank("rollback", "--to", "1")
      return outcome.status == 75 ? nil : outcome
    }
    func warnings() -> Int {
      server.errors.split(separator: "\n").count { $0.contains("my/1 has been held since a rollback") }
    }
    for number in 1...2 {
      try deployment.origin("UPDATE shop SET name = 'held \(number)'")
      try waitUntil("a step has seen the change") { warnings() == 1 }
    }
    #expect(server.stop() == 0)
    #expect(warnings() == 1, "\(server.errors)")
  }

  @Test(.full) func `a rollback that dies at any file operation leaves the old state or the held new one`()
    throws
  {
    let (deployment, injector) = (try OperatedDeployment(), try FaultInjector())
    let arguments = ["rollback", "--to", "1"]
    let (old, saved) = (try head(deployment), deployment.folder("saved"))
    try Tool.run(["cp", "-a", deployment.folder("seedbank"), saved])
    func restore() throws {
      try Tool.run(["rm", "-rf", deployment.folder("seedbank")])
      try Tool.run(["cp", "-a", saved, deployment.folder("seedbank")])
    }
    let count = try injector.count(arguments, in: deployment.folder.path)
    let new = try head(deployment)
    #expect(count > 60 && new.version == 4)
    for (fault, point) in FaultInjector.attempts(count, sample: 12) {
      try restore()
      let outcome = try injector.run(arguments, fault, at: point, in: deployment.folder.path)
      let what = "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
      let found = try head(deployment)
      #expect(
        found.version == old.version && found.rows == old.rows
          || found.version == new.version && found.rows == new.rows, "\(what)")
      let next = try deployment.seedbank("regenerate")
      #expect(next.status == (found.version == new.version ? 65 : 0), "\(what): \(next.errors)")
      let again = try SeedbankBinary.run(arguments, in: deployment.folder.path)
      #expect(again.status == 0, "\(what): \(again.errors)")
      #expect(try head(deployment).rows == new.rows, "\(what): the next run does not converge")
    }
  }
}
