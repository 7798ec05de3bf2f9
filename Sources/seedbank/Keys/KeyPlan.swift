import SeedFormat
import SeedTrust

/// How many keys each role of a new deployment gets, and how many of them must sign.
struct KeyPlan {
  private var counts: [KeyRole: Int] = [:]
  /// How many must sign, where it is more than one.
  private(set) var thresholds: [KeyRole: Int] = [:]

  /// Keys of one role; more only make mistakes likely.
  static let keyCounts = 1...9
  /// The roles whose keys people keep, so that several are worth while.
  fileprivate static let roles: [KeyRole] = [.root, .targets]

  /// One key each.
  init() {}

  /// What the options say.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    for role in Self.roles {
      let (count, threshold) = (OptionDefinition.count(role), OptionDefinition.threshold(role))
      let keys = try arguments.integer(count, in: Self.keyCounts) ?? 1
      counts[role] = keys
      thresholds[role] = try arguments.integer(threshold, in: 1...keys)
    }
  }

  /// All keys.
  var count: Int { KeyRole.allCases.reduce(0) { $0 + (counts[$1] ?? 1) } }

  /// The files of a role's keys: `root.key`, or `root-1.key`, `root-2.key`, …
  func files(_ role: KeyRole) -> [KeyFileName] {
    let count = counts[role] ?? 1
    return count == 1 ? [KeyFileName(role)] : (1...count).map { KeyFileName(role, tag: "\($0)") }
  }
}

extension OptionDefinition {
  fileprivate static func count(_ role: KeyRole) -> String { "\(role.rawValue)-keys" }
  fileprivate static func threshold(_ role: KeyRole) -> String { "\(role.rawValue)-threshold" }

  /// For commands that make a deployment.
  static let keyPlan = KeyPlan.roles.flatMap { role in
    [
      value(count(role), "count", help: "How many \(role.rawValue) keys to make (default: 1)."),
      value(
        threshold(role), "count",
        help: "How many of them must sign new \(role.rawValue) metadata (default: 1)."),
    ]
  }
}
