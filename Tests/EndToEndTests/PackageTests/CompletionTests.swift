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

  /// Completions of the last word of each line in bash, called as readline calls it.
  private func bash(_ lines: [[String]]) throws -> [[String]] {
    let calls = lines.map { words in
      """
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
      $complete seedbank; echo "${COMPREPLY[*]}"
      """
    }
    let script = """
      source "$1"
      rule=$(complete -p seedbank); echo "$rule"
      complete=$(echo "$rule" | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
      \(calls.joined(separator: "\n"))
      """
    let answer = try Tool.run(["bash", "--norc", "-uc", script, "bash", folder("bash")], in: folder("work"))
    let answers = answer.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(
      answers.first == "complete -o default -F _seedbank_words seedbank", "file names if no word matches")
    return answers.dropFirst().map { $0.split(separator: " ").map(String.init) }
  }

  @Test func `bash completes commands, options, their values and arguments' words, and otherwise file names`()
    throws
  {
    let expected: [(words: [String], completions: [String])] = [
      (["re"], ["regenerate", "ready", "recover"]), (["run", "--p"], ["--port", "--public"]),
      (["import", "--format", "n"], ["ndjson"]), (["import", "--format", "="], ["json", "ndjson", "csv"]),
      (["import", "--format", "=", "c"], ["csv"]), (["config", "s"], ["show", "swift"]),
      (["config", "show", ""], []), (["origin", "log", "a"], ["accept"]), (["help", "pul"], ["pull"]),
      (["no-such-command", ""], []), (["init", "m"], []),
      ([""], Command.all.map(\.name) + ["--help", "--version"]),
    ]
    let found = try bash(expected.map { ["seedbank"] + $0.words })
    for (one, found) in zip(expected, found) { #expect(found == one.completions, "\(one.words)") }
    #expect(found.count == expected.count)
    let options = try bash(Command.all.map { ["seedbank", $0.name, "--"] })
    for (command, offered) in zip(Command.all, options) {
      #expect(Set(offered) == Set(command.allOptions.map(\.word)), "\(command.name)")
    }
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
    try expect("my.sqlite", of: "seedbank init m")
  }
}
