import SeedTrust

/// What `seedbank keys` can do, and which options go with it.
enum KeyAction: String, CaseIterable {
  case status, new, renew, rotate, revoke, payload, sign
  case addSignature = "add-signature"
  case discard

  /// The action that was asked for, with no option that belongs to another one.
  init(checking arguments: ParsedArguments) throws(UsageError) {
    // The parser lets no other word pass.
    self = KeyAction(rawValue: arguments.required("action")) ?? .status
    for option in Self.optionNames where arguments.isGiven(option) && !options.contains(option) {
      throw arguments.unsuitable(option, rawValue, Self.words(allowing: option))
    }
    let count = arguments.strings("name").count
    guard names.contains(count) else {
      throw arguments.unsuitable(
        "name", count == 0 ? "" : arguments.strings("name").joined(separator: " "), expected)
    }
  }

  private static let optionNames = [
    "with", "to", "key", "count", "threshold", "replace", "lost", "yes", "prepare",
  ]

  private var options: Set<String> {
    switch self {
    case .status, .addSignature: ["with"]
    case .new: ["to"]
    case .renew: ["with", "prepare"]
    case .rotate: ["with", "to", "key", "count", "threshold", "lost", "yes", "prepare"]
    case .revoke: ["with", "to", "key", "replace", "prepare"]
    case .sign: ["key"]
    case .payload, .discard: []
    }
  }

  /// How many names it takes.
  private var names: ClosedRange<Int> {
    switch self {
    case .status, .discard: 0...0
    case .rotate, .addSignature: 1...KeyRole.allCases.count
    default: 1...1
    }
  }

  private var expected: String {
    switch self {
    case .status, .discard: "nothing more"
    case .renew, .payload: "root or targets"
    case .rotate: "one or more roles"
    case .new: "a role"
    case .revoke: "a key's id"
    case .sign: "the file of a payload"
    case .addSignature: "files of signatures"
    }
  }

  private static func words(allowing option: String) -> String {
    alternatives(allCases.filter { $0.options.contains(option) }.map { "keys \($0.rawValue)" })
  }
}
