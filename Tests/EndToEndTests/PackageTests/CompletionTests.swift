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
    let script = try SeedbankBinary.succeed(["completion"], in: folder.path)
    try script.write(toFile: folder("bash"), atomically: false, encoding: .utf8)
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
      ["bash", "--norc", "-uc", script, "bash", folder("bash")] + words, in: folder.path)
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

  @Test func `bash completes a command's actions`() throws {
    #expect(try bash("seedbank", "config", "s") == ["show", "swift"])
    #expect(try bash("seedbank", "keys", "add") == ["add-signature"])
    #expect(try bash("seedbank", "no-such-command", "").isEmpty)
  }

  @Test func `bash completes file names if no word matches`() throws {
    #expect(try bash("seedbank", "init", "m").isEmpty)
    let rule = try Tool.run(["bash", "--norc", "-c", "source \(folder("bash")); complete -p seedbank"])
    #expect(rule == "complete -o default -F _seedbank_words seedbank\n")
  }
}
