/// What is wrong with the words typed after `seedbank`.
struct UsageError: ReportedError, Hashable {
  enum Problem: Hashable {
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    case missingValue(String)
    case unexpectedValue(option: String, found: String)
    case missingArgument(String)
    case missingOption(String)
    case surplusArgument(String)
    case undecided(option: String, choices: String)
    case unsuitable(name: String, found: String, expected: String)
  }

  /// The command whose help explains more; none before a command is known.
  let command: String?
  let problem: Problem
  var exitCode: ExitCode { .usage }
}

extension UsageError {
  /// One sentence, and where to read on.
  var message: String { "\(sentence)\nSee 'seedbank \(command.map { "\($0) " } ?? "")--help'." }

  private var sentence: String {
    switch problem {
    case .unknownCommand(let name, let nearest):
      "Unknown command '\(name.clipped)'\(Self.question(nearest))"
    case .unknownOption(let name, let nearest):
      "Unknown option '\(name.clipped)'\(Self.question(nearest))"
    case .missingValue(let placeholder): "Missing the value of '\(placeholder)'."
    case .unexpectedValue(let option, let found):
      "The option '\(option)' takes no value, found '\(found.clipped)'."
    case .missingArgument(let placeholder): "Missing the argument '\(placeholder)'."
    case .missingOption(let placeholder): "Missing the option '\(placeholder)'."
    case .surplusArgument(let found): "Unexpected argument '\(found.clipped)'."
    case .undecided(let option, let choices):
      "There are several: say which one is meant with '\(option)', \(choices)."
    case .unsuitable(let name, let found, let expected):
      "Expected \(expected) for '\(name)', found '\(found.clipped)'."
    }
  }

  private static func question(_ nearest: String?) -> String {
    nearest.map { ": did you mean \($0)?" } ?? "."
  }
}
