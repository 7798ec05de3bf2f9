import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct VerifyCommandTests {
  @Test func `verify ends with 0 or 65, and status shows the newest result and the last sound one`() throws {
    let deployment = try OperatedDeployment()
    #expect(try !deployment.folder.succeed("status").contains("verification"))
    let outcome = try deployment.seedbank("verify").expect(0)
    #expect(outcome.output.hasSuffix("sound\n") && outcome.errors.isEmpty)
    #expect(try deployment.folder.succeed("status").contains("\nverification\n  sound at "))
    let json = try #require(try deployment.json("verify", "--dataset", "my").first)
    #expect(json["sound"]?.bool == true && json["findings"]?.elements == [])
    #expect(json["deltas"]?.integer == 2 && json["snapshots"]?.integer == 1)

    let bad = try damage(deployment)
    let damaged = try deployment.seedbank("verify").expect(
      65,
      output: "restore it from a backup, a mirror or a follower's copy; if none has it, run "
        + "'seedbank regenerate --dataset my --snapshot' now")
    for path in bad { #expect(damaged.output.contains("error: \(path): ")) }
    let findings = try #require(try deployment.json("verify").first?["findings"]?.elements)
    #expect(findings.compactMap { $0["path"]?.string } == bad)
    let status = try deployment.folder.succeed("status")
    #expect(status.contains(#/\n  not sound at [^;]+ ago; last sound at .+ ago\n/#), "\(status)")
  }

  /// Changes a bit of one published object and removes another; returns their paths.
  private func damage(_ deployment: OperatedDeployment) throws -> [String] {
    let series = try SeedSeries("my", major: 1)
    let objects = try #require(try deployment.publication.published().series[series]).metadata.objects
    let file = deployment.publication.file(objects[0])
    var bytes = try DurableFile.read(file, limit: 1 << 20)
    bytes[20] ^= 4
    try DurableFile.write(bytes, to: file)
    try Folder.remove(deployment.publication.file(objects[1]))
    return objects.prefix(2).map(\.filePath)
  }

  @Test func `verify finds metadata of another publication, and reports a missing publication`() throws {
    let deployment = try OperatedDeployment()
    let folder = deployment.folder
    try folder.succeed("init", "my.sqlite", "--directory", "other")
    try folder.replace("seedbank/root.json", by: "other/root.json")
    try deployment.seedbank("verify").expect(65, output: "root.json: it is not a root of this publication")
    let timestamp = "publication/metadata/timestamp.json"
    try folder.replace("seedbank/\(timestamp)", by: "other/\(timestamp)")
    try deployment.seedbank("verify").expect(65, output: "error: metadata/timestamp.json: ")
    try folder.remove("seedbank/publication")
    try deployment.seedbank("verify").expect(65, "There is no publication at")
  }

  @Test func `a signal ends verify and removes its temporary files`() throws {
    let deployment = try OperatedDeployment()
    let temporary = deployment.folder("tmp")
    try Folder.create(temporary)
    let program = try TestProgram(
      [SeedbankBinary.path, "verify"], in: deployment.folder.path, environment: ["TMPDIR": temporary],
      isBare: true)
    try eventually("its files appear", every: 0.01) {
      try !program.isRunning || !Folder.names(in: temporary).isEmpty ? true : nil
    }
    // It may have finished before.
    #expect([.killed(signal: SIGTERM), .exited(0)].contains(try program.stop()))
    #expect(try Folder.names(in: temporary).isEmpty)
  }
}
