import SeedSystem

/// An operator's program as it will be started.
struct NoticeCommand: Sendable {
  let kind: NoticeKind
  private let words: [String]
  private let environment: [String: String]

  /// Bytes of its output that are kept, the last ones, for a message about its failure.
  private static let outputBytes = 64 * 1024
  /// Letters of its output in a message: the last ones.
  private static let shownLetters = 400

  /// A path with a slash starts at the configuration's folder.
  init(
    _ kind: NoticeKind, _ words: [String], _ configuration: DeploymentConfiguration,
    _ environment: [String: String]
  ) {
    self.kind = kind
    let program = words.first ?? ""
    let isPath = program.contains("/")
    self.words =
      [isPath ? Paths.absolute(program, from: Folder.parent(of: configuration.file)) : program]
      + words.dropFirst()
    self.environment = ServiceManager.environment(forOthers: environment)
  }

  private var program: String { words.first ?? "" }

  private var file: ProgramFile { ProgramFile(program, environment) }

  /// Why it could not be started; `nil` where it can.
  var fault: String? { file.fault.map { "\(kind.setting): \($0)" } }

  /// Why the system will hardly start it: only what was registered with the kernel for such files could.
  var doubt: String? {
    guard let file = file.executable, let start = (try? DurableFile.start(of: file, Self.startBytes)) ?? nil,
      !start.contains(0), !start.starts(with: "#!".utf8)
    else { return nil }
    return
      "\(kind.setting): \(file.printable) is a text that does not say what runs it, so the system cannot start it: give "
      + "it a first line such as #!/bin/sh"
  }

  /// Bytes that tell a text from a program: one of these has a zero.
  private static let startBytes = 64

  /// Starts it, and hands on how to end it from elsewhere.
  func start() throws(FileError) -> ChildProcess {
    try ChildProcess(words, environment: environment)
  }

  /// Waits for its end; returns what went wrong, if anything did.
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
    let said = lines.joined(separator: " ").trimmed
    let shown = said.count > Self.shownLetters ? "…\(said.suffix(Self.shownLetters))" : said
    return "\(kind.setting): \(program) \(problem)"
      + (said.isEmpty ? "." : "; it said: \(String(shown).printable)")
  }
}

extension String {
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { start[...$0] } ?? ""
  }
}
