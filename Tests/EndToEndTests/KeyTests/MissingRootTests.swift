import Foundation
import Support
import Testing

/// A lost root would bring back keys that it revoked, and end the updates of clients with older roots.
@Suite struct MissingRootTests {
  private let deployment: OperatedDeployment
  private static let template = FolderTemplate()

  init() throws {
    deployment = try OperatedDeployment(Self.template) { made in
      for _ in 2...3 { try made.folder.succeed("keys", "renew", "root") }
    }
  }

  private func root(_ version: Int) -> String {
    deployment.folder("seedbank/publication/metadata/\(version).root.json")
  }

  private func expectNamed(_ version: Int, _ remedy: String) throws {
    for words in [["regenerate"], ["keys", "renew", "root"], ["keys", "status"], ["verify"], ["status"]] {
      let outcome = try SeedbankBinary.run(words, in: deployment.folder.path)
      let text = outcome.output + outcome.errors
      #expect(outcome.status == 65 && text.contains("/\(version).root.json is missing"), "\(words): \(text)")
      #expect(text.contains(remedy), "\(words): \(text)")
    }
    let missing = "/\(version).root.json is missing"
    try deployment.seedbank("config", "check").expect(78, output: missing)
    try deployment.seedbank("status", "--check").expect(2, output: "\(version).root.json is missing")
  }

  @Test func `a root that is missing between others is named, and nothing is signed`() throws {
    let bytes = try Data(contentsOf: URL(filePath: root(2)))
    try FileManager.default.removeItem(atPath: root(2))
    try expectNamed(2, "from a backup, a mirror or a follower")
    try bytes.write(to: URL(filePath: root(2)))
    #expect(try deployment.seedbank("keys", "renew", "root").status == 0)
    #expect(try deployment.seedbank("verify").status == 0)
  }

  @Test func `a newest root that only apps have is named, and its copy ends the problem`() throws {
    try FileManager.default.removeItem(atPath: root(3))
    try expectNamed(3, "copy \(deployment.folder("seedbank/root.json")) to that name")
    try Tool.run(["cp", deployment.folder("seedbank/root.json"), root(3)])
    #expect(try deployment.seedbank("verify").status == 0)
  }

  @Test func `recover takes all roots since the oldest one, if root.json is among them`()
    throws
  {
    try Tool.run(["mv", deployment.folder("seedbank/publication"), deployment.folder("copy")])
    let recover = ["recover", "--from", "copy", "--config", "seedbank/seedbank.json"]
    func run(_ more: String...) throws -> ProgramOutcome {
      try SeedbankBinary.run(recover + more, in: deployment.folder.path)
    }
    try run().expect(78, "is root 3", "1.root.json")
    #expect(!deployment.folder.exists("seedbank/publication"))
    let shipped = URL(filePath: deployment.folder("seedbank/root.json"))
    let newest = try Data(contentsOf: shipped)
    let second = try Data(contentsOf: URL(filePath: deployment.folder("copy/metadata/2.root.json")))
    try (second + Data("\n".utf8)).write(to: shipped)
    try run("--root", "copy/metadata/1.root.json").expect(65, "is not a root of this publication")
    try newest.write(to: shipped)
    try run("--root", "copy/metadata/1.root.json").expect(0)
    for version in 1...3 { #expect(FileManager.default.fileExists(atPath: root(version))) }
    #expect(try deployment.seedbank("verify").status == 0)
    try Tool.run(["rm", "-r", deployment.folder("seedbank/publication")])
    let lack = "there is no root before 3"
    try deployment.seedbank("new-epoch", "--yes", "--json").expect(0, lack, output: #""warnings":["\#(lack)"#)
    try deployment.seedbank("verify").expect(0, output: "there is no root before 3")
  }

  @Test func `a stray file among the roots and a different root of the same version are named`() throws {
    try Data("x".utf8).write(to: URL(filePath: root(77)))
    for words in ["regenerate", "status", "verify"] {
      let outcome = try deployment.seedbank(words)
      let text = outcome.output + outcome.errors
      #expect(outcome.status == 65 && text.contains("77.root.json"), "\(outcome)")
    }
    try FileManager.default.removeItem(atPath: root(77))
    let shipped = deployment.folder("seedbank/root.json")
    try Data(try String(contentsOfFile: shipped, encoding: .utf8).appending("\n").utf8).write(
      to: URL(filePath: shipped))
    try deployment.seedbank("regenerate").expect(65, "is not a root of this publication")
  }
}
