import Foundation
import Support
import Testing

/// Output in a real terminal of 80 columns.
@Suite struct TerminalTests {
  private static let columns = 80
  private static let commands = [
    "status", "status --history", "verify", "doctor store", "diff 1 3 --rows", "keys status", "config check",
    "help status",
  ]

  let store: PulledStore

  init() throws {
    store = try PulledStore(filled: ())
    // Causes warnings and long lines.
    try Tool.run(["chmod", "644", store.folder("seedbank/keys/series.key")])
    try store.deployment.origin("UPDATE shop SET name = 'a rather long name that goes on and on' || name")
    _ = try store.deployment.seedbank("rollback", "--to", "2")
  }

  private static let uncolored = ["NO_COLOR": "1"]
  /// An empty NO_COLOR has no effect.
  private static let colored = ["NO_COLOR": "", "TERM": "xterm"]
  private static let dumb = ["NO_COLOR": "", "TERM": "dumb"]

  private func shown(
    _ words: [String], columns: Int, _ environment: [String: String] = uncolored
  ) throws -> String {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "terminal.py")
    return try Tool.run(
      ["python3", script.path, "\(columns)", SeedbankBinary.path] + words, in: store.folder.path,
      environment: environment)
  }

  @Test(.full, arguments: commands)
  func `no line is wider than the terminal, except for one word or command`(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    let text = try shown(words, columns: Self.columns)
    #expect(!text.isEmpty)
    let tooWide = text.split(separator: "\n").filter { line in
      // Progress redraws its line: look at its last state only.
      let last = line.split(separator: "\r").last ?? ""
      let isOneWord = !last.drop { $0 == " " }.contains(" ")
      let isOneCommand = last.drop { $0 == " " }.hasPrefix("'")
      return last.count > Self.columns && !isOneWord && !isOneCommand
    }
    #expect(tooWide.isEmpty, "\(text)")
  }

  @Test(.full, arguments: ["status", "status --check", "verify", "doctor store", "config check"])
  func `words of state are coloured if the terminal supports it, and nothing else differs`(
    _ command: String
  ) throws {
    let color = #/\u{1B}\[[0-9;]*m/#
    let words = command.split(separator: " ").map(String.init)
    let texts = try [Self.colored, Self.uncolored, Self.dumb].map {
      // Ages differ from one run to the next.
      try shown(words, columns: Self.columns, $0).replacing(#/[0-9]+ seconds?/#, with: "moments")
    }
    #expect(texts[0].contains(color) && !texts[1].contains(color) && !texts[2].contains(color), "\(texts)")
    #expect(texts[0].replacing(color, with: "") == texts[1])
    let piped = try SeedbankBinary.run(words, environment: ["TERM": "xterm"], in: store.folder.path)
    #expect(!(piped.output + piped.errors).contains("\u{1B}"))
  }

  @Test func `a wider terminal is used, and a pipe gets each fact in one line`() throws {
    let piped = try store.deployment.seedbank("status").output
    let longest = try #require(piped.split(separator: "\n").map(\.count).max())
    #expect(longest > Self.columns)
    let facts = piped.split(separator: "\n").count
    #expect(try shown(["status"], columns: longest + 1).split(separator: "\n").count == facts)
    #expect(try shown(["status"], columns: Self.columns).split(separator: "\n").count > facts)
  }
}
