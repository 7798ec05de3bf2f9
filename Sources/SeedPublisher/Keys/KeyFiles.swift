package import SeedSigning
import SeedSystem
package import SeedTrust

/// A key file's name: `root.key`, `root-2.key` or `root-4f1a09c2.key`.
package struct KeyFileName: Hashable {
  let role: KeyRole
  let tag: String?

  private static let suffix = ".key"
  package static let tagLength = 8

  init?(_ name: String) {
    guard name.hasSuffix(Self.suffix) else { return nil }
    let parts = name.dropLast(Self.suffix.count).split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let role = KeyRole(rawValue: String(parts[0])) else { return nil }
    self.role = role
    tag = parts.count > 1 ? String(parts[1]) : nil
  }

  /// Omit the tag if the role has a single key.
  package init(_ role: KeyRole, tag: String? = nil) { (self.role, self.tag) = (role, tag) }

  package var text: String { role.rawValue + (tag.map { "-\($0)" } ?? "") + Self.suffix }
}

/// A reason why a publish step fails, or a warning.
package struct Fault: Hashable, Sendable {
  package let isFatal: Bool
  package let place: String
  package let problem: String
  package let isUnavailable: Bool

  package init(isFatal: Bool, place: String, problem: String, isUnavailable: Bool = false) {
    (self.isFatal, self.place, self.problem, self.isUnavailable) = (isFatal, place, problem, isUnavailable)
  }

  package var text: String { "\(place): \(problem)" }
}

package struct FoundKey {
  package let role: KeyRole
  package let path: String
  package private(set) var key: SigningKey?
  package private(set) var fault: Fault?
  /// True if the file exists but this user cannot access it.
  package private(set) var isForbidden = false

  init(_ role: KeyRole, _ path: String) {
    (self.role, self.path) = (role, path)
    ProcessSecrets.guardMemory()
    do throws(KeyFileError) {
      let file = try KeyFile(reading: path)
      key = file.key
      guard file.isTooOpen else { return }
      let owner = (try? FileStamp(path))?.ownerName ?? "unknown"
      let problem = "other users can read the key: run chmod 600 on it (its owner is \(owner))"
      fault = Fault(isFatal: false, place: path, problem: problem)
    } catch {
      fault = Fault(isFatal: true, place: path, problem: error.description)
      if case .system(let failure) = error { isForbidden = failure.rightsRemedy != nil }
    }
  }

  var keyID: String? { key?.publicKey.keyID }

  func isNamed(by keys: RoleKeys?) -> Bool { keyID.map { keys?.keyIDs.contains($0) == true } == true }
}

/// Searches for keys in the deployment's folder, in files that the environment names, and in other folders (a USB stick).
package struct KeySearch: Sendable {
  package let folder: String
  let others: [String]
  private let environment: [String: String]

  package init(_ folder: String, others: [String] = [], _ environment: [String: String]) {
    (self.folder, self.others, self.environment) = (folder, others, environment)
  }

  package func found() throws -> [FoundKey] {
    let folders = others.reduce(into: [folder]) { if !$0.contains($1) { $0.append($1) } }
    let kept = try folders.flatMap { folder in
      try Folder.names(in: folder).compactMap { name in
        KeyFileName(name).map { FoundKey($0.role, "\(folder)/\(name)") }
      }
    }
    let named = KeyRole.allCases.flatMap { role in
      (environment[Self.variable(role)] ?? "").split(separator: ":").map { FoundKey(role, String($0)) }
    }
    return kept + named
  }

  /// Returns a variable's name, such as `SEEDBANK_TIMESTAMP_KEY_FILE`. It lists key files, separated by colons.
  package static func variable(_ role: KeyRole) -> String {
    "SEEDBANK_\(role.rawValue.uppercased())_KEY_FILE"
  }

  package var isFolderOpen: Bool { (try? FileStamp(folder)?.isOpenToOthers) == true }
}

extension [FoundKey] {
  /// The usable keys. Unreadable files are skipped.
  package var ring: KeyRing {
    reduce(into: KeyRing()) { ring, found in if let key = found.key { ring[found.role].append(key) } }
  }
}

/// The keys of a new deployment.
package struct KeyPlan: Sendable {
  private let counts: [KeyRole: Int]
  /// A role without an entry here has the threshold 1, and one without an entry in `counts` has one key.
  let thresholds: [KeyRole: Int]

  /// Permitted number of keys per role; more would invite mistakes.
  package static let keyCounts = 1...9
  /// The roles with offline keys, for which several keys are useful.
  package static let roles: [KeyRole] = [.root, .targets]

  package init(counts: [KeyRole: Int] = [:], thresholds: [KeyRole: Int] = [:]) {
    (self.counts, self.thresholds) = (counts, thresholds)
  }

  package var count: Int { KeyRole.allCases.reduce(0) { $0 + (counts[$1] ?? 1) } }

  /// A role's key files: `root.key`, or `root-1.key`, `root-2.key`, …
  func files(_ role: KeyRole) -> [KeyFileName] {
    let count = counts[role] ?? 1
    return count == 1 ? [KeyFileName(role)] : (1...count).map { KeyFileName(role, tag: "\($0)") }
  }
}
