import SeedDatabase
import SeedFormat
import SeedSigning
import SeedSystem
import SeedTrust

/// A key file's name: `root.key`, `root-2.key`, and `root-4f1a09c2.key.new` until metadata names the key.
struct KeyFileName: Hashable {
  let role: KeyRole
  let tag: String?
  let isNew: Bool

  private static let suffix = ".key"
  private static let newSuffix = ".new"
  static let tagLength = 8

  init?(_ name: String) {
    isNew = name.hasSuffix(Self.newSuffix)
    let plain = isNew ? String(name.dropLast(Self.newSuffix.count)) : name
    guard plain.hasSuffix(Self.suffix) else { return nil }
    let parts = plain.dropLast(Self.suffix.count).split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let role = KeyRole(rawValue: String(parts[0])) else { return nil }
    self.role = role
    tag = parts.count > 1 ? String(parts[1]) : nil
  }

  /// No tag if the role has a single key.
  init(_ role: KeyRole, tag: String? = nil, isNew: Bool = false) {
    (self.role, self.tag, self.isNew) = (role, tag, isNew)
  }

  var text: String {
    role.rawValue + (tag.map { "-\($0)" } ?? "") + Self.suffix + (isNew ? Self.newSuffix : "")
  }
}

struct Fault: Hashable {
  let isFatal: Bool
  let place: String
  let problem: String
  /// For a fatal fault: `unavailable` if a retry may succeed.
  var exitCode = ExitCode.configuration

  var text: String { "\(place): \(problem)" }
}

struct FoundKey {
  let role: KeyRole
  let path: String
  private(set) var key: SigningKey?
  private(set) var fault: Fault?

  init(_ role: KeyRole, _ path: String) {
    (self.role, self.path) = (role, path)
    ProcessSecrets.guardMemory()
    do throws(KeyFileError) {
      let file = try KeyFile(reading: path)
      key = file.key
      let problem = "other users can read the key: run chmod 600 on it"
      fault = file.isTooOpen ? Fault(isFatal: false, place: path, problem: problem) : nil
    } catch { fault = Fault(isFatal: true, place: path, problem: error.description) }
  }

  var keyID: String? { key?.publicKey.keyID }

  var isNew: Bool { KeyFileName(String(path.split(separator: "/").last ?? ""))?.isNew == true }

  func isNamed(by keys: RoleKeys?) -> Bool { keyID.map { keys?.keyIDs.contains($0) == true } == true }
}

/// Searches for keys in the deployment's folder, in named folders such as a USB stick's, and in the environment.
struct KeySearch {
  let folder: String
  let others: [String]
  let environment: [String: String]

  init(_ configuration: DeploymentConfiguration, others: [String] = [], _ context: Context) {
    (folder, self.others, environment) = (configuration.keys, others, context.environment)
  }

  func found() throws -> [FoundKey] {
    let folders = others.reduce(into: [folder]) { if !$0.contains($1) { $0.append($1) } }
    return try folders.flatMap(Self.keys) + named
  }

  static func keys(in folder: String) throws -> [FoundKey] {
    try Folder.names(in: folder).compactMap { name in
      KeyFileName(name).map { FoundKey($0.role, "\(folder)/\(name)") }
    }
  }

  private var named: [FoundKey] {
    KeyRole.allCases.flatMap { role in
      let paths = environment[Self.variable(role)] ?? ""
      return paths.split(separator: ":").map { FoundKey(role, String($0)) }
    }
  }

  /// `SEEDBANK_TIMESTAMP_KEY_FILE`: paths of a role's key files, separated by colons.
  static func variable(_ role: KeyRole) -> String { "SEEDBANK_\(role.rawValue.uppercased())_KEY_FILE" }

  var isFolderOpen: Bool { (try? FileStamp(folder)?.isOpenToOthers) == true }
}

extension [FoundKey] {
  /// The usable keys; an unreadable file does not affect them.
  var ring: KeyRing {
    reduce(into: KeyRing()) { ring, found in if let key = found.key { ring[found.role].append(key) } }
  }
}

struct KeyPlan {
  private var counts: [KeyRole: Int] = [:]
  /// Missing roles have 1.
  private(set) var thresholds: [KeyRole: Int] = [:]

  /// Permitted keys per role; more would invite mistakes.
  static let keyCounts = 1...9
  /// Roles with offline keys, for which several keys are useful.
  fileprivate static let roles: [KeyRole] = [.root, .targets]

  init() {}

  init(_ arguments: ParsedArguments) throws(UsageError) {
    for role in Self.roles {
      let keys = try arguments.integer("\(role.rawValue)-keys", in: Self.keyCounts) ?? 1
      counts[role] = keys
      thresholds[role] = try arguments.integer("\(role.rawValue)-threshold", in: 1...keys)
    }
  }

  var count: Int { KeyRole.allCases.reduce(0) { $0 + (counts[$1] ?? 1) } }

  /// A role's key files: `root.key`, or `root-1.key`, `root-2.key`, …
  func files(_ role: KeyRole) -> [KeyFileName] {
    let count = counts[role] ?? 1
    return count == 1 ? [KeyFileName(role)] : (1...count).map { KeyFileName(role, tag: "\($0)") }
  }
}

extension Parameter {
  static let keyPlan = KeyPlan.roles.flatMap { role in
    [
      value("\(role.rawValue)-keys", "count", help: "How many \(role.rawValue) keys to make (default: 1)."),
      value(
        "\(role.rawValue)-threshold", "count",
        help: "How many of them must sign new \(role.rawValue) metadata (default: 1)."),
    ]
  }
}
