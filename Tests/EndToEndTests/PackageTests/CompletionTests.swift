import Foundation
import SeedSystem
import Support
import Testing

@testable import seedbank

/// Completions of a partial command line.
@Suite struct CompletionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Tool.run(["mkdir", folder("work"), folder("zsh")])
    for (shell, file) in [("bash", "bash"), ("fish", "fish"), ("zsh", "zsh/_seedbank")] {
      let script = try SeedbankBinary.succeed(["completion", shell], in: folder.path)
      try script.write(toFile: folder(file), atomically: false, encoding: .utf8)
    }
    try Data().write(to: URL(fileURLWithPath: folder("work/my.sqlite")))
  }

  /// Completions of the last word in bash, called as readline calls it.
  private func bash(_ words: String...) throws -> [String] {
    let script = """
      source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      $(complete -p seedbank | sed 's/.*-F \\([^ ]*\\) .*/\\1/') seedbank
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let answer = try Tool.run(
      ["bash", "--norc", "-uc", script, "bash", folder("bash")] + words, in: folder("work"))
    return answer.split(separator: "\n").map(String.init)
  }

  @Test func `bash completes commands and a command's options`() throws {
    #expect(try bash("seedbank", "re") == ["regenerate", "ready", "recover"])
    #expect(try Set(bash("seedbank", "")) == Set(Command.all.map(\.name) + ["--help", "--version"]))
    #expect(try bash("seedbank", "run", "--p") == ["--port", "--public"])
    for command in Command.all {
      let offered = try bash("seedbank", command.name, "--")
      #expect(Set(offered) == Set(command.allOptions.map(\.word)), "\(command.name)")
    }
  }

  @Test func `bash completes an option's values, with and without an equals sign`() throws {
    #expect(try bash("seedbank", "import", "--format", "n") == ["ndjson"])
    #expect(try bash("seedbank", "import", "--format", "=") == ["json", "ndjson", "csv"])
    #expect(try bash("seedbank", "import", "--format", "=", "c") == ["csv"])
    #expect(try bash("seedbank", "run", "--log-level", "w") == ["warning"])
  }

  @Test func `bash completes an argument's words after the word that it follows`() throws {
    #expect(try bash("seedbank", "config", "s") == ["show", "swift"])
    #expect(try bash("seedbank", "config", "show", "").isEmpty)
    #expect(try bash("seedbank", "keys", "renew", "ta") == ["targets"])
    #expect(try bash("seedbank", "keys", "rotate", "root", "sn") == ["snapshot"])
    #expect(try bash("seedbank", "help", "pul") == ["pull"])
    #expect(try bash("seedbank", "no-such-command", "").isEmpty)
  }

  @Test func `bash completes file names if no word matches`() throws {
    #expect(try bash("seedbank", "init", "m").isEmpty)
    let rule = try Tool.run(["bash", "--norc", "-c", "source \(folder("bash")); complete -p seedbank"])
    #expect(rule == "complete -o default -F _seedbank_words seedbank\n")
  }

  private static func has(_ shell: String) -> Bool {
    Stage.isDeep || (try? Tool.run(["sh", "-c", "command -v \(shell)"])) != nil
  }

  @Test(.enabled(if: has("fish"), "fish is not here: Scripts/deps --package installs it"))
  func `fish gives the same completions`() throws {
    func fish(_ line: String) throws -> [String] {
      let answer = try Tool.run(
        ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", folder("fish"), line],
        in: folder("work"), environment: ["HOME": folder.path])
      return answer.split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
    }
    try Tool.run(["fish", "--no-execute", folder("fish")])
    #expect(try Set(fish("seedbank re")) == ["ready", "recover", "regenerate"])
    #expect(try Set(fish("seedbank config s")) == ["show", "swift"])
    #expect(try !fish("seedbank keys renew st").contains("status"), "an action is no role")
    #expect(try !fish("seedbank keys ").contains("root"), "a role is no action")
    #expect(try fish("seedbank keys rotate root sn") == ["snapshot"])
    #expect(try Set(fish("seedbank import --format ")) == ["json", "ndjson", "csv"])
    #expect(try Set(fish("seedbank run --p")) == ["--port", "--public"])
    #expect(try fish("seedbank init my").contains("my.sqlite"))
    #expect(try fish("seedbank config show my").contains("my.sqlite"))
  }

  @Test(.enabled(if: has("zsh"), "zsh is not here: Scripts/deps --package installs it"))
  func `zsh gives the same completions`() throws {
    try Tool.run(["zsh", "-n", folder("zsh/_seedbank")])
    func expect(_ words: String..., of line: String) throws {
      let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "zsh_completion.py")
        .path
      let shown = try Tool.run(
        [Tool.python, driver, folder("zsh"), line] + words, in: folder("work"),
        environment: ["HOME": folder.path, "TERM": "dumb"])
      for word in words { #expect(shown.contains(word), "\(line): \(shown)") }
    }
    try expect("regenerate", "ready", of: "seedbank re")
    try expect("csv", "ndjson", "json", of: "seedbank import --format ")
    try expect("show", "swift", of: "seedbank config s")
    try expect("snapshot", "targets", of: "seedbank keys rotate ")
    try expect("my.sqlite", of: "seedbank init m")
  }
}
