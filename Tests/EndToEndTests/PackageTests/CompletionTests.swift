import Foundation
import SeedSystem
import Support
import Testing

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

  /// The first words of the help's lists: commands, or long options.
  private func listed(_ arguments: String...) throws -> [String] {
    try SeedbankBinary.succeed(["help"] + arguments, in: folder.path).split(separator: "\n").compactMap {
      line in
      line.firstMatch(of: /^  (?:-., )?(-{0,2}[a-z][a-z-]*)(?: |$)/).map { String($0.1) }
    }
  }

  @Test func `bash completes commands, options, their values and arguments' words, and otherwise file names`()
    throws
  {
    let commands = try listed().filter { !$0.hasPrefix("-") }
    #expect(commands.count > 20)
    let expected: [(words: [String], completions: [String])] = [
      (["re"], ["regenerate", "ready", "recover"]), (["run", "--p"], ["--port", "--public"]),
      (["import", "--format", "n"], ["ndjson"]), (["import", "--format", "="], ["json", "ndjson", "csv"]),
      (["import", "--format", "=", "c"], ["csv"]), (["config", "s"], ["show", "swift"]),
      (["config", "show", ""], []), (["origin", "log", "a"], ["accept"]), (["help", "pul"], ["pull"]),
      (["no-such-command", ""], []), (["init", "m"], []),
      ([""], commands + ["--help", "--version"]),
    ]
    let found = try bash(expected.map { ["seedbank"] + $0.words })
    for (one, found) in zip(expected, found) { #expect(found == one.completions, "\(one.words)") }
    #expect(found.count == expected.count)
    for (command, offered) in zip(commands, try bash(commands.map { ["seedbank", $0, "--"] })) {
      let options = try listed(command).filter { $0.hasPrefix("--") }
      #expect(Set(offered) == Set(options), "\(command)")
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
