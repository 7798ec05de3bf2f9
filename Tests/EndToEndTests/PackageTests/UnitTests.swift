import Foundation
import SeedHTTP
import SeedSystem
import Support
import Testing

@Suite struct UnitTests {
  private static let units = "\(Readme.package)/Config/systemd"
  private static let services = [
    "seedbank.service", "seedbank-regenerate.service", "seedbank-front@.service", "seedbank-follow@.service",
  ]
  private static let front = services[2]
  private static let follower = services[3]

  private func text(_ unit: String) throws -> String {
    try String(contentsOfFile: "\(Self.units)/\(unit)", encoding: .utf8)
  }

  private func lines(_ unit: String) throws -> Set<String> {
    Set(try text(unit).split(separator: "\n").map(String.init))
  }

  @Test(arguments: services)
  func
    `each service writes no core dump, cannot gain privileges, and is named by README.Debian and the article`(
      unit: String
    ) throws
  {
    let expected = ["LimitCORE=0", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="]
    #expect(try lines(unit).isSuperset(of: expected))
    let name = unit.replacing(".service", with: "").replacing("@", with: "@8080")
    let readme = try String(contentsOfFile: "\(Readme.package)/Config/debian/README.Debian", encoding: .utf8)
    #expect(readme.contains(" \(name)."), "README.Debian")
    let article = try OperatorArticle("Installing").text
    #expect(article.contains("`\(unit.replacing("@", with: "@PORT"))`"), "Installing")
  }

  @Test func `the publisher has no network, and the front has another user and no keys`() throws {
    #expect(try lines(Self.services[1]).isSuperset(of: ["User=seedbank", "PrivateNetwork=yes"]))
    let front = try lines(Self.front)
    #expect(front.contains("InaccessiblePaths=-/var/lib/seedbank/keys -/var/lib/seedbank/state"))
    #expect(front.contains("DynamicUser=yes") && !front.contains { $0.hasPrefix("ReadWritePaths") })
  }

  @Test func `units and compose allow enough open files for the front's connections`() throws {
    let files = HTTPServerConfiguration().connectionLimit * 2 + 768
    #expect(try lines(Self.services[0]).contains("LimitNOFILE=\(files)"))
    #expect(try lines(Self.front).contains("LimitNOFILE=\(files)"))
    #expect(try lines(Self.follower).contains("LimitNOFILE=\(files)"))
    let compose = try String(contentsOfFile: "\(Readme.package)/docker/compose.yaml", encoding: .utf8)
    #expect(compose.contains("\n      nofile: \(files)\n"))
  }

  @Test func `the follower's unit runs a valid command with the folder that systemd creates`() throws {
    let lines = try lines(Self.follower)
    #expect(lines.contains("StateDirectory=seedbank-follow-%i") && lines.contains("DynamicUser=yes"))
    let command = try #require(lines.first { $0.hasPrefix("ExecStart=") })
    let folder = try TemporaryFolder()
    let words = command.replacing("%i", with: "8080").replacing("${SOURCE}", with: "https://seeds.example")
      .replacing("/var/lib/", with: folder("")).replacing("/etc/seedbank-follow/", with: folder(""))
      .split(separator: " ").dropFirst().map(String.init)
    try SeedbankBinary.run(words, in: "/").expect(78, "root.json")
  }

  @Test func `a service without a deployment fails once with advice`() throws {
    let folder = try TemporaryFolder()
    for unit in [Self.services[0], Self.front] {
      let lines = try lines(unit)
      let command = try #require(lines.first { $0.hasPrefix("ExecStart=") })
      let words = command.replacing("%i", with: "8080").split(separator: " ").dropFirst().map(String.init)
      let configuration = folder("seedbank.json")
      let outcome = try SeedbankBinary.run(words, environment: ["SEEDBANK_CONFIG": configuration], in: "/")
      #expect(
        outcome.errors.contains(
          "make a deployment with 'seedbank init ORIGIN.sqlite --directory \(folder.path)'"))
      #expect(outcome.status == 78 && lines.contains("RestartPreventExitStatus=64 78"))
    }
  }

  private static let hasAnalyzer =
    Stage.isDeep || (try? Tool.run(["sh", "-c", "command -v systemd-analyze"])) != nil

  @Test(.enabled(if: hasAnalyzer, "systemd-analyze is not here: Scripts/deps --package installs it"))
  func `systemd-analyze verify accepts the units`() throws {
    let folder = try TemporaryFolder()
    for unit in Self.services + ["seedbank-regenerate.timer"] {
      let here = try text(unit).replacing("/usr/bin/seedbank", with: SeedbankBinary.path)
      try folder.write(here, to: unit)
    }
    try Tool.run(["cp", folder(Self.front), folder("seedbank-front@8080.service")])
    try Tool.run(["cp", folder(Self.follower), folder("seedbank-follow@8080.service")])
    let units = [
      "seedbank.service", "seedbank-regenerate.service", "seedbank-regenerate.timer",
      "seedbank-front@8080.service", "seedbank-follow@8080.service",
    ]
    let said = try Tool.run(["systemd-analyze", "verify", "--man=no"] + units.map { folder($0) })
    let aboutOurs = said.split(separator: "\n").filter { $0.contains("seedbank") }
    #expect(aboutOurs.isEmpty, "\(said)")
  }

  /// The score of `systemd-analyze security`, from 0 (safe) to 10.
  @Test(
    .enabled(if: hasAnalyzer, "systemd-analyze is not here: Scripts/deps --package installs it"),
    arguments: zip(services, [1.3, 0.4, 1.2, 1.2]))
  func `the exposure is at most the article's value`(unit: String, most: Double) throws {
    #expect(try exposure("\(Self.units)/\(unit)") <= most)
  }

  private func exposure(_ unit: String) throws -> Double {
    let said = try Tool.run(["systemd-analyze", "security", "--offline=true", unit])
    let level = try #require(said.firstMatch(of: #/exposure level for [^:]*: ([0-9.]+)/#)?.1)
    return try #require(Double(level))
  }

  @Test(.enabled(if: hasAnalyzer, "systemd-analyze is not here: Scripts/deps --package installs it"))
  func `the article's drop-in gives the timer's publisher the network and the exposure of the service`()
    throws
  {
    let dropIn = try #require(try OperatorArticle("Installing").blocks.first { $0.language == "ini" }).text
    let (folder, unit) = (try TemporaryFolder(), Self.services[1])
    try folder.write(text(unit), to: unit)
    try Folder.create(folder("\(unit).d"))
    try folder.write(dropIn, to: "\(unit).d/bucket.conf")
    #expect(try exposure(folder(unit)) == exposure("\(Self.units)/\(Self.services[0])"))
    #expect(dropIn.contains("\nLoadCredential=bucket:") && dropIn.hasSuffix("FILE=%d/bucket"))
  }
}
