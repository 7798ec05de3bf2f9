import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct ModelsWhileRunningTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private func addMajor() throws {
    try deployment.folder.succeed("model", "new", "2.0")
    try deployment.folder.succeed("regenerate")
  }

  /// Retries while another process holds the publisher's lock.
  private func regenerate() throws {
    let outcome = try eventually("nobody else publishes") {
      let outcome = try deployment.seedbank("regenerate")
      return outcome.status == 75 ? nil : outcome
    }
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  private func run() throws -> RunningSeedbank {
    try RunningSeedbank(
      ["run", "--port", "0"], in: deployment.folder.path,
      environment: ["SEEDBANK_DATASETS_MY_SCHEDULE_CHECK_SECONDS": "1"])
  }

  private func state(_ major: Int) throws -> SeriesState {
    let series = try SeedSeries("my", major: major)
    return try #require(try deployment.publication.published().series[series]).metadata.state
  }

  private func publish(_ name: String, in major: Int) throws {
    let before = try state(major).head
    try deployment.origin("UPDATE shop SET name = '\(name)' WHERE id = 1")
    try waitUntil("\(name) is published in my/\(major)", every: 0.01) { try state(major).head > before }
  }

  private func models(_ version: String) -> String { deployment.folder("seedbank/my/models/\(version)") }

  @Test(.full) func `a series retired while run is running stays retired, and the others continue`() throws {
    try addMajor()
    let server = try run()
    try publish("before", in: 1)
    let head = try state(1).head
    try deployment.folder.succeed("model", "retire", "1")
    try waitUntil("it is retired") { try state(1).lifecycle.isRetired }
    try FileManager.default.removeItem(atPath: models("1.0"))
    try regenerate()
    for name in ["one", "two"] {
      try publish(name, in: 2)
      #expect(try state(1).lifecycle.isRetired && state(1).head == head)
    }
    #expect(server.stop() == 0)
  }

  @Test(.full) func `a missing or edited model stops all publishing until it is repaired`() throws {
    try addMajor()
    let server = try run()
    try publish("before", in: 1)
    let away = deployment.folder("away")
    try expectRefusal("files of model 1.0 have changed or disappeared", server) {
      try Folder.rename(models("1.0"), to: away)
    } mend: {
      try Folder.rename(away, to: models("1.0"))
    }
    let select = "\(models("2.0"))/shop.sql"
    try expectRefusal("files of model 2.0 have changed or disappeared", server) {
      try "SELECT id, 'secret' AS name, rank FROM shop".write(
        toFile: select, atomically: true, encoding: .utf8)
    } mend: {
      try Folder.remove(select)
    }
    #expect(server.stop() == 0)
  }

  private func expectRefusal(
    _ words: String, _ server: RunningSeedbank, _ happen: () throws -> Void, mend: () throws -> Void
  ) throws {
    try happen()
    try waitUntil("it says: \(words)") { server.errors.contains(words) }
    let heads = [try state(1).head, try state(2).head]
    try deployment.origin("UPDATE shop SET name = hex(randomblob(8)) WHERE id = 1")
    let facts = deployment.publication.facts
    try waitUntil("the page can know") {
      facts.read(try SeedSeries("my", major: 2))?.look.reason == .configuration
    }
    #expect(try [state(1).head, state(2).head] == heads)
    try mend()
    try waitUntil("it goes on") { try state(2).head > heads[1] }
  }

  @Test func `a model added while run is running is reported and not published`() throws {
    let server = try run()
    try deployment.folder.succeed("model", "new", "2.0")
    try publish("beside a draft", in: 1)
    try waitUntil("it is told", every: 0.01) {
      server.errors.contains("model 2.0 was added after 'seedbank run' was started")
    }
    #expect(try deployment.publication.published().series.count == 1)
    #expect(server.stop() == 0)
  }
}
