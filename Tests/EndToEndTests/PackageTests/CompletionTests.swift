import Foundation
import SeedSystem
import Support
import Testing

@testable import seedbank

@Suite struct CompletionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Tool.run(["mkdir", folder("work"), folder("zsh")])
    for (shell, file) in [("bash", "bash"), ("zsh", "zsh/_seedbank")] {
      let script = try folder.succeed("completion", shell)
      try folder.write(script, to: file)
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
  }

  @Test func `bash completes an argument's words after the word that it follows`() throws {
    #expect(try bash("seedbank", "config", "s") == ["show", "swift"])
    #expect(try bash("seedbank", "config", "show", "").isEmpty)
    #expect(try bash("seedbank", "origin", "log", "a") == ["accept"])
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
    try expect("my.sqlite", of: "seedbank init m")
  }
}
