import SeedDatabase
import SeedFormat
import SeedTrust

/// One of the deployment's key files, as it is found.
struct KeyStatus {
  /// What there is.
  enum Condition {
    case missing
    case unusable(String)
    case usable(PublicKey, isTooOpen: Bool)
  }

  let role: PublicationFounder.KeyRole
  let path: String
  let condition: Condition
  /// Whether the publication's metadata names the key for the role; `nil` where one of the two is not known.
  let isTrusted: Bool?

  /// Every role's key file.
  static func all(in folder: String, trustedBy published: PublishedMetadata?) -> [KeyStatus] {
    PublicationFounder.KeyRole.allCases.map { role in
      let path = "\(folder)/\(role.fileName)"
      let condition = Self.condition(path)
      guard case .usable(let key, _) = condition, let published else {
        return KeyStatus(role: role, path: path, condition: condition, isTrusted: nil)
      }
      return KeyStatus(
        role: role, path: path, condition: condition,
        isTrusted: published.keyIDs(of: role).contains(key.keyID))
    }
  }

  private static func condition(_ path: String) -> Condition {
    guard Folder.exists(path) else { return .missing }
    do throws(KeyFileError) {
      let file = try KeyFile(reading: path)
      return .usable(file.key.publicKey, isTooOpen: file.isTooOpen)
    } catch {
      return .unusable(error.description)
    }
  }

  /// Whether a publisher can work without it: it may be kept elsewhere.
  var isOffline: Bool { role == .root || role == .targets }

  /// What is wrong with it, if anything; without the full stop.
  var problem: (isFatal: Bool, text: String)? {
    switch condition {
    case .missing: isOffline ? nil : (true, "the key is missing: every publish step needs it")
    case .unusable(let reason): (true, reason)
    case .usable where isTrusted == false:
      (true, "the publication's metadata does not name this key for the role \(role.rawValue)")
    case .usable(_, isTooOpen: true): (false, "others can read the key: chmod 600 it")
    case .usable: nil
    }
  }

  /// `missing`, `unusable` or `present`.
  var word: String {
    switch condition {
    case .missing: "missing"
    case .unusable: "unusable"
    case .usable: "present"
    }
  }
}

extension PublishedMetadata {
  fileprivate func keyIDs(of role: PublicationFounder.KeyRole) -> Set<String> {
    guard role == .series else { return Set(root.roles[role.rawValue]?.keyIDs ?? []) }
    return Set((targets.delegations?.roles ?? []).flatMap(\.keys.keyIDs))
  }
}
