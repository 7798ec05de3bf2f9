import Foundation
import Support
import Testing

/// A crash in any call that can reach a key prints no part of any key.
@Suite struct KeyCrashTests {
  private static let regenerate = TypedCommand(
    words: "regenerate", before: "sqlite3 my.sqlite 'UPDATE shop SET rank = 9'")

  /// Prepares a change that waits for the root key's signature.
  private static let waiting = """
    mv seedbank/keys/root.key .
    seedbank keys renew root --prepare
    seedbank keys payload root > root.payload
    """
  private static let severalRoots = """
    mkdir a b c
    seedbank keys rotate root --count 2 --threshold 1 --to a --to b
    """

  private static let all = [
    regenerate, TypedCommand(words: "run --port 0", before: regenerate.before, lastWord: "version=4"),
    TypedCommand(words: "init my.sqlite --directory new"), TypedCommand(words: "demo --directory demo"),
    TypedCommand(words: "rollback --to 2"), TypedCommand(words: "new-epoch --yes"),
    TypedCommand(words: "recover --from copy", before: "mv seedbank/publication copy"),
    TypedCommand(words: "status --check"), TypedCommand(words: "config check"),
    TypedCommand(words: "keys status"), TypedCommand(words: "keys new timestamp --to ."),
    TypedCommand(words: "keys renew root"), TypedCommand(words: "keys renew targets"),
    TypedCommand(words: "keys rotate timestamp snapshot"), TypedCommand(words: "keys rotate targets series"),
    TypedCommand(words: "keys rotate root --count 2 --threshold 2 --to a --to b", before: "mkdir a b"),
    TypedCommand(words: "keys rotate root --lost --yes", before: "rm seedbank/keys/root.key"),
    TypedCommand(
      words: "keys revoke $(basename a/*.key .key | cut -c 6-) --replace --with a --with b --to c",
      before: severalRoots),
    TypedCommand(words: "keys payload root", before: waiting),
    TypedCommand(words: "keys discard", before: waiting),
    TypedCommand(words: "keys sign root.payload --key root.key", before: waiting),
    TypedCommand(
      words: "keys add-signature root.sig",
      before: "\(waiting)\nseedbank keys sign root.payload --key root.key > root.sig"),
  ]

  /// Calls tried for each command; a deep run tries all of them.
  private static let sample = 15

  private static var tried: [TypedCommand] { Stage.current == .quick ? [regenerate] : all }

  private let deployment: OperatedDeployment
  private let crasher: KeyCrasher
  private let saved: TemporaryFolder

  private var directory: String { deployment.folder.path }

  init() throws {
    (deployment, crasher) = (try OperatedDeployment(), try KeyCrasher())
    saved = try TemporaryFolder(inMemory: true)
  }

  private func prepare(_ command: TypedCommand) throws {
    try Tool.run(
      ["bash", "-euo", "pipefail", "-c", command.before], in: directory,
      environment: OperatorsMachine.environment)
    try Tool.run(["cp", "-a", ".", saved.path], in: directory)
  }

  private func restore() throws {
    try Tool.run(["bash", "-c", "rm -rf ./* && cp -a '\(saved.path)'/. ."], in: directory)
  }

  /// Every second crash is a rejection; a deep run tries both at each call.
  private static func crashes(at call: Int) -> [KeyCrasher.Crash] {
    Stage.isDeep ? KeyCrasher.Crash.allCases : [call.isMultiple(of: 2) ? .segfault : .rejection]
  }

  @Test(arguments: tried)
  func `a command that crashes in any use of a key prints no part of a key`(_ command: TypedCommand) throws {
    try prepare(command)
    let whole = try crasher.watch(command, in: directory)
    #expect(whole.ending == .exited(0) && !whole.calls.isEmpty, "\(command.words)")
    #expect(whole.shown() == [], "\(command.words)")
    for call in FaultInjector.points(whole.calls.count, sample: Self.sample) {
      for crash in Self.crashes(at: call) {
        try restore()
        let run = try crasher.run(command, crash, at: call, in: directory)
        let what = "\(command.words), \(crash) at \(call) of \(whole.calls.count)"
        #expect(run.isKilled && run.calls.count >= call, "\(what): \(run.ending)")
        #expect(run.shown(orOf: whole.calls) == [], "\(what)")
      }
    }
  }

  @Test func `a crash report of Swift's runtime would print a part of a key`() throws {
    let command = Self.regenerate
    try prepare(command)
    let run = try crasher.run(command, .segfault, at: 1, isReported: true, in: directory)
    #expect(run.ending == .killed(signal: SIGSEGV))
    #expect(run.shown() == Set(run.calls) && run.calls.count == 1)
  }
}
