import SeedFormat
import SeedSystem

package enum NoticeKind: String, CaseIterable, Sendable {
  case published, failed

  package var setting: String { "on.\(rawValue)" }
}

/// A program of the operator that reads one notice.
package struct NoticeCommand: Sendable {
  let kind: NoticeKind
  private let words: [String]
  private let environment: [String: String]

  /// The last bytes and characters of output that are kept and shown.
  private static let outputBytes = 64 * 1024
  private static let shownLetters = 400

  /// A path with a slash is relative to `folder`.
  package init(
    _ kind: NoticeKind, _ words: [String], in folder: String, _ environment: [String: String]
  ) {
    self.kind = kind
    let program = words.first ?? ""
    let isPath = program.contains("/")
    self.words =
      [isPath ? Paths.absolute(program, from: folder) : program] + words.dropFirst()
    self.environment = ProgramFile.environment(forOthers: environment)
  }

  private var program: String { words.first ?? "" }

  package var fault: String? { ProgramFile(program, environment).fault.map { "\(kind.setting): \($0)" } }

  func start() throws(FileError) -> ChildProcess {
    try ChildProcess(words, environment: environment)
  }

  func finish(_ child: ChildProcess, _ input: [UInt8], within limit: Duration) -> String? {
    let (ending, output) = child.finish(input: input, outputBytes: Self.outputBytes, within: limit)
    let problem: String
    switch ending {
    case .exited(0): return nil
    case .exited(let status): problem = "ended with \(status)"
    case .killed(let signal): problem = "was ended by the signal \(signal)"
    case .overdue: problem = "took longer than \(limit), and was ended"
    }
    let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
    let said = lines.joined(separator: " ")
    let shown = said.count > Self.shownLetters ? "…\(said.suffix(Self.shownLetters))" : said
    return "\(kind.setting): \(program) \(problem)" + (said.isEmpty ? "." : "; it said: \(shown.printable)")
  }
}
