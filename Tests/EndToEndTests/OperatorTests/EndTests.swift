import Foundation
import Support
import Testing

/// A command ends after SIGTERM or SIGINT in every phase, and leaves a usable state.
@Suite struct EndTests {
  private static let mirror = """
    sed -i 's#^{#{"mirrors": [{"folder": "../mirror"}],#' seedbank/seedbank.json
    mkdir mirror
    """

  private static let commands = [
    TypedCommand(words: "regenerate --snapshot", before: "sqlite3 my.sqlite 'UPDATE shop SET rank = 9'"),
    TypedCommand(words: "run --port 0", after: "seedbank verify"),
    TypedCommand(words: "serve --port 0", after: "seedbank verify"), TypedCommand(words: "verify"),
    TypedCommand(words: "status --check"), TypedCommand(words: "config check"),
    TypedCommand(words: "diff 1 3"), TypedCommand(words: "rollback --to 1"),
    TypedCommand(words: "new-epoch --yes"), TypedCommand(words: "ready $SILENT", after: "seedbank verify"),
    TypedCommand(
      words: "init my.sqlite --directory new",
      after: """
        test -e new || seedbank init my.sqlite --directory new
        seedbank config check --config new/seedbank.json
        """),
    TypedCommand(
      words: "demo --trips 10 --directory new",
      after: """
        test -e new || seedbank demo --trips 10 --directory new
        seedbank config check --config new/seedbank.json
        """),
    TypedCommand(
      words: "model new", before: "sqlite3 my.sqlite 'ALTER TABLE shop ADD COLUMN size'",
      after: "test -e seedbank/my/models/1.1 || seedbank model new; seedbank config check"),
    TypedCommand(
      words: "origin log setup --yes",
      after: """
        grep '"log"' seedbank/my/dataset.json || seedbank origin log setup --yes
        seedbank regenerate
        """),
    TypedCommand(
      words: "export --to new.sqlite",
      after: """
        test -e new.sqlite || seedbank export --to new.sqlite
        sqlite3 -bail new.sqlite 'SELECT rank FROM shop'
        """),
    TypedCommand(words: "mirror push", before: mirror), TypedCommand(words: "mirror check", before: mirror),
    TypedCommand(
      words: "recover --from copy", before: "rm -r seedbank/publication seedbank/state",
      after: "seedbank recover --from copy || seedbank verify; seedbank regenerate"),
    TypedCommand(
      words: "recover --from $SILENT", before: "rm -r seedbank/publication seedbank/state",
      after: "seedbank recover --from copy; seedbank regenerate"),
    TypedCommand(words: "keys rotate timestamp snapshot series"),
    TypedCommand(words: "keys renew root"), TypedCommand(words: "keys status"),
    TypedCommand(
      words: "keys add-signature root.sig",
      before: """
        mv seedbank/keys/root.key .
        seedbank keys renew root --prepare
        seedbank keys payload root > root.payload
        seedbank keys sign root.payload --key root.key > root.sig
        """,
      after: """
        seedbank keys status | grep waits && seedbank keys add-signature root.sig
        seedbank regenerate
        seedbank verify
        """),
  ]

  private static let pull = "--dataset my --model 1.0 --root seedbank/root.json"
  private static let follow = "--root seedbank/root.json --to new"

  private static let clientCommands = [
    TypedCommand(words: "pull $SILENT \(pull) --store store", after: "seedbank doctor store"),
    TypedCommand(words: "pull $HOST \(pull) --store new"),
    TypedCommand(
      words: "pull $HOST \(pull) --store new --watch", after: "seedbank pull $HOST \(pull) --store new"),
    TypedCommand(words: "pull $HOST \(pull) --bundle new", code: 1),
    TypedCommand(
      words: "pull $SILENT \(pull) --bundle new", after: "seedbank pull $HOST \(pull) --bundle new", code: 1),
    TypedCommand(
      words: "follow $SILENT \(follow) --once", after: "seedbank follow $HOST \(follow) --once", code: 1),
    TypedCommand(words: "follow $HOST \(follow) --once", code: 1),
    TypedCommand(words: "follow $HOST \(follow)", after: "seedbank follow $HOST \(follow) --once"),
    TypedCommand(
      words: "follow $HOST \(follow) --serve --port 0", after: "seedbank follow $HOST \(follow) --once"),
    TypedCommand(words: "doctor store"),
    TypedCommand(words: "import rows.json --database app.sqlite --table shop"),
    TypedCommand(
      words: "import - --database app.sqlite --table shop --format json",
      after: "seedbank import rows.json --database app.sqlite --table shop"),
  ]

  @Test func `a signal ends each command of a publisher at any moment, and the state stays usable`() throws {
    try EndScene().expectEnds(Self.commands)
  }

  @Test func `a signal ends each command of a client at any moment, and the state stays usable`() throws {
    try EndScene().expectEnds(Self.clientCommands)
  }

  @Test func `a command that no signal is sent to only prints`() throws {
    let names = try SeedbankBinary.commands()
    let ended = Set((Self.commands + Self.clientCommands).map(\.name))
    #expect(Set(names).subtracting(ended) == ["help", "version", "completion"])
    #expect(ended.isSubset(of: names))
  }

  /// A signal before the handler is installed kills the program; a later one must not be lost.
  @Test func `SIGTERM during the start ends run`() throws {
    let deployment = try OperatedDeployment()
    var random = SplitMix(seed: Stage.seed)
    for _ in 0..<Stage.pick(quick: 4, full: 100, deep: 500) {
      let microseconds = UInt32.random(in: 0..<80_000, using: &random)
      let program = try TestProgram([SeedbankBinary.path, "run", "--port", "0"], in: deployment.folder.path)
      usleep(microseconds)
      #expect(throws: Never.self, "after \(microseconds) µs") { try program.stop() }
    }
  }
}
