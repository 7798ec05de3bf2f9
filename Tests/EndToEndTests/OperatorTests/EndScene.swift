import Foundation
import SeedSystem
import Support
import Testing

/// A command that a signal or a crash may end at any moment.
struct TypedCommand: Sendable, CustomTestStringConvertible {
  /// As typed after `seedbank` in a shell.
  let words: String
  /// A shell script that runs before.
  var before = ""
  /// A shell script that succeeds however far the command got; by default the same command.
  var after: String?
  /// The exit code of a command that reports its cancellation.
  var code: Int32 = 0
  /// Printed by a command that does not end, once it has done its work.
  var lastWord: String?

  var testDescription: String { words }

  var name: String { String(words.prefix { $0 != " " }) }
}

/// A deployment and a client's store, restored before each command. `$HOST` is a static host of the publication, and
/// `$SILENT` accepts connections but never answers.
final class EndScene {
  private let base: TemporaryFolder
  private let start: TemporaryFolder
  private let work: TemporaryFolder
  private let host: FolderHost
  private let silent: RawServer
  private let environment: [String: String]

  private static let longestDelay: UInt32 = Stage.pick(quick: 60_000, full: 150_000, deep: 150_000)

  init() throws {
    base = try OperatedDeployment().folder
    (start, work) = (try TemporaryFolder(inMemory: true), try TemporaryFolder(inMemory: true))
    (host, silent) = (try FolderHost(base("host")), try RawServer { _, _ in true })
    environment = OperatorsMachine.environment.merging([
      "HOST": host.address, "SILENT": "http://127.0.0.1:\(silent.port)",
    ]) { $1 }
    try shell(
      """
      cp -a seedbank/publication host
      seedbank follow host --root seedbank/root.json --to copy --once
      seedbank pull $HOST --dataset my --model 1.0 --root seedbank/root.json --store store
      sqlite3 app.sqlite 'CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT)'
      echo '[{"id": 1, "name": "Tea"}]' > rows.json
      """, in: base)
  }

  /// Ends each command at random moments, by SIGTERM and SIGINT in turns; a quick run takes the first form of each.
  func expectEnds(_ commands: [TypedCommand]) throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    var names: Set<String> = []
    let tried = commands.filter { names.insert($0.name).inserted || Stage.current > .quick }
    for (index, command) in tried.enumerated() {
      let hasScript = !command.before.isEmpty
      if hasScript {
        try copy(base, to: start)
        try shell(command.before, in: start)
      }
      for moment in 0..<Stage.pick(quick: 1, full: 15, deep: 50) {
        let signal = (index + moment).isMultiple(of: 2) ? SIGTERM : SIGINT
        let delay = UInt32.random(in: 0..<Self.longestDelay, using: &random)
        do {
          try copy(hasScript ? start : base, to: work)
          try expectEnd(of: command, by: signal, after: delay)
        } catch {
          Issue.record(error, "\(command.words), signal \(signal) after \(delay) µs, seed \(seed)")
        }
      }
    }
  }

  private func expectEnd(of command: TypedCommand, by signal: Int32, after microseconds: UInt32) throws {
    let program = try TestProgram(
      ["bash", "-c", "exec seedbank \(command.words)"], in: work.path, environment: environment, input: .pipe)
    usleep(microseconds)
    let ending = try program.stop(signal)
    guard [.killed(signal: signal), .exited(0), .exited(command.code)].contains(ending) else {
      throw NeverHappened(what: "an end by the signal, but \(ending): \(program.errors)")
    }
    try shell(command.after ?? "seedbank \(command.words)", in: work)
  }

  private func copy(_ one: TemporaryFolder, to other: TemporaryFolder) throws {
    try Tool.run(["bash", "-c", "rm -rf ./* && cp -a '\(one.path)'/. ."], in: other.path)
  }

  private func shell(_ script: String, in folder: TemporaryFolder) throws {
    try Tool.run(["bash", "-euo", "pipefail", "-c", script], in: folder.path, environment: environment)
  }
}
