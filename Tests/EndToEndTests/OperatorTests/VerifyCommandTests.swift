import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct VerifyCommandTests {
  @Test func `verify ends with 0 for a sound publication`() throws {
    let deployment = try OperatedDeployment()
    let outcome = try deployment.seedbank("verify")
    #expect(outcome.status == 0 && outcome.output.hasSuffix("sound\n") && outcome.errors.isEmpty)
    let json = try #require(try deployment.json("verify", "--dataset", "my").first)
    #expect(json["sound"]?.bool == true && json["findings"]?.elements == [])
    #expect(json["deltas"]?.integer == 2 && json["snapshots"]?.integer == 1)
  }

  @Test func `verify ends with 65 for a damaged object and names the remedy`() throws {
    let deployment = try OperatedDeployment()
    let series = try SeedSeries("my", major: 1)
    let objects = try #require(try deployment.publication.published().series[series]).metadata.objects
    let file = deployment.publication.file(objects[0])
    var bytes = try DurableFile.read(file, limit: 1 << 20)
    bytes[20] ^= 4
    try DurableFile.write(bytes, to: file)
    try Folder.remove(deployment.publication.file(objects[1]))
    let outcome = try deployment.seedbank("verify").expect(65)
    for object in objects.prefix(2) { #expect(outcome.output.contains("error: \(object.filePath): ")) }
    #expect(outcome.output.contains("restore it from a backup, a mirror or a follower's copy"))
    let findings = try #require(try deployment.json("verify").first?["findings"]?.elements)
    #expect(findings.compactMap { $0["path"]?.string } == objects.prefix(2).map(\.filePath))
  }

  @Test func `status shows the newest verification and the last sound one`() throws {
    let deployment = try OperatedDeployment()
    #expect(try !deployment.seedbank("status").output.contains("verification"))
    #expect(try deployment.seedbank("verify").status == 0)
    #expect(try deployment.seedbank("status").output.contains("\nverification\n  sound at "))
    try Folder.removeAll(deployment.folder("seedbank/publication/targets"))
    #expect(try deployment.seedbank("verify").status == 65)
    let status = try deployment.seedbank("status").output
    #expect(status.contains(#/\n  not sound at [^;]+ ago; last sound at .+ ago\n/#), "\(status)")
  }

  @Test func `verify ends with 65 for invalid metadata and for a root of another publication`() throws {
    let deployment = try OperatedDeployment()
    let other = try OperatedDeployment(isCopied: false)
    try Tool.run(["cp", other.folder("seedbank/root.json"), deployment.folder("seedbank/root.json")])
    try deployment.seedbank("verify").expect(65, output: "root.json: it is not a root of this publication")
    try Tool.run([
      "cp", other.folder("seedbank/publication/metadata/timestamp.json"),
      deployment.folder("seedbank/publication/metadata/timestamp.json"),
    ])
    try deployment.seedbank("verify").expect(65, output: "error: metadata/timestamp.json: ")
  }

  @Test func `verify reports a missing publication`() throws {
    let deployment = try OperatedDeployment()
    try Folder.removeAll(deployment.publication.path)
    try deployment.seedbank("verify").expect(65, "There is no publication at")
  }

  @Test func `a signal ends verify and removes its temporary files`() throws {
    let deployment = try OperatedDeployment()
    let temporary = deployment.folder("tmp")
    try Folder.create(temporary)
    let program = try TestProgram(
      [SeedbankBinary.path, "verify"], in: deployment.folder.path, environment: ["TMPDIR": temporary],
      isBare: true)
    try eventually("its files appear", within: 60) {
      try !program.isRunning || !Folder.names(in: temporary).isEmpty ? true : nil
    }
    // It may have finished before.
    #expect([.killed(signal: SIGTERM), .exited(0)].contains(try program.stop()))
    #expect(try Folder.names(in: temporary).isEmpty)
  }
}
