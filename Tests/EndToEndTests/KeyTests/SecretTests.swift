import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

/// A key's secret appears nowhere outside its file.
@Suite struct SecretTests {
  private func secrets(_ deployment: OperatedDeployment) throws -> [String] {
    let folder = deployment.folder("seedbank/keys")
    return try Folder.names(in: folder).compactMap { name in
      try JSONValue(parsing: DurableFile.read("\(folder)/\(name)", limit: 4096))["private"]?.string
    }
  }

  private func expect(_ text: String, hides secrets: [String], _ what: String) {
    for secret in secrets {
      #expect(!text.lowercased().contains(secret), "\(what) shows a key")
      #expect(!text.lowercased().contains(secret.prefix(16)), "\(what) shows a part of a key")
    }
  }

  @Test func `no command prints or logs a part of a key`() throws {
    let deployment = try OperatedDeployment()
    let all = try secrets(deployment)
    #expect(all.count == 5)
    let commands = [
      ["keys", "status"], ["keys", "status", "--json"], ["keys", "rotate", "timestamp"],
      ["keys", "renew", "root"],
      ["status", "--json"], ["config", "show"], ["config", "check"], ["regenerate", "--log-level", "debug"],
      ["keys", "rotate", "root", "--key", "seedbank/keys/root.key"],
      ["diff", "seedbank/keys/root.key", "seedbank/keys/root.key"],
      ["keys", "add-signature", "seedbank/keys/root.key"],
      ["import", "seedbank/keys/root.key", "--into", "x.sqlite"],
    ]
    for command in commands {
      let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
      expect(outcome.output + outcome.errors, hides: all, command.joined(separator: " "))
    }
  }

  @Test func `no error about a damaged key quotes it`() throws {
    let deployment = try OperatedDeployment()
    let all = try secrets(deployment)
    let path = deployment.folder("seedbank/keys/timestamp.key")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let damages: [(String) -> String] = [
      { String($0.dropLast(20)) }, { $0.replacing("ed25519", with: "rsa") },
      { $0.replacing("\"public\"", with: "public") },
      { $0.replacing("\"private\":\"", with: "\"private\":\"0") }, { $0 + $0 },
      { $0.replacing("\"private\"", with: "\"secret\"") },
    ]
    let commands = [["regenerate"], ["keys", "status"], ["config", "check"], ["status"]]
    for (number, damage) in damages.enumerated() {
      try damage(text).write(toFile: path, atomically: false, encoding: .utf8)
      let command = commands[number % commands.count]
      let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
      expect(outcome.output + outcome.errors, hides: all, command.joined(separator: " "))
    }
  }

  @Test func `a running publisher shows no key in arguments, environment or log, and dumps no core`() throws {
    let deployment = try OperatedDeployment()
    let all = try secrets(deployment)
    let key = deployment.folder("seedbank/keys/timestamp.key")
    try Tool.run(["mv", key, deployment.folder("elsewhere.key")])
    let run = try RunningSeedbank(
      ["run", "--port", "0", "--log-level", "debug"], in: deployment.folder.path,
      environment: ["SEEDBANK_TIMESTAMP_KEY_FILE": deployment.folder("elsewhere.key")])
    try deployment.origin("UPDATE shop SET rank = 9")
    try eventually("a version is published") { run.errors.contains("version=4") ? true : nil }
    let process = "/proc/\(run.identifier)"
    for file in ["cmdline", "environ"] {
      let text = String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: "\(process)/\(file)")), as: UTF8.self)
      expect(text, hides: all, file)
    }
    let limits = try String(contentsOfFile: "\(process)/limits", encoding: .utf8)
    #expect(limits.contains(/Max core file size +0 +0/))
    #expect(run.stop() == 0)
    expect(run.output + run.errors, hides: all, "the log")
    #expect(run.errors.contains("root.key") && run.errors.contains("move them to a place without a network"))
  }

  @Test(arguments: [SIGABRT, SIGQUIT, SIGBUS]) func `a crash signal ends run`(_ number: Int32) throws {
    let deployment = try OperatedDeployment()
    let run = try RunningSeedbank(["run", "--port", "0"], in: deployment.folder.path)
    kill(run.identifier, number)
    #expect(run.waitForEnd() == number)
    #expect(!run.errors.contains("Registers:"))
  }

  @Test
  func
    `a key folder that others can read causes a warning, and no command waits for a pipe in place of a key`()
    throws
  {
    let deployment = try OperatedDeployment()
    try Tool.run(["chmod", "755", deployment.folder("seedbank/keys")])
    for command in [["regenerate"], ["config", "check"]] {
      let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
      #expect((outcome.output + outcome.errors).contains("chmod 700"), "\(outcome)")
    }
    let key = deployment.folder("seedbank/keys/timestamp.key")
    try Tool.run(["sh", "-c", "rm '\(key)'; mkfifo -m 600 '\(key)'"])
    for command in [["keys", "status"], ["regenerate"], ["status", "--check"]] {
      let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
      #expect((outcome.output + outcome.errors).contains("timestamp.key"), "\(command)")
      #expect(command == ["keys", "status"] || outcome.status != 0, "\(command)")
    }
  }
}
