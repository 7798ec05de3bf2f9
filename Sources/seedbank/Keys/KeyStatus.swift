import SeedDatabase
import SeedFormat
import SeedServer
import SeedTrust

/// One role's keys: those that metadata names, and those that are at hand.
struct KeyStatus {
  /// Something that is wrong, and where.
  struct Problem {
    let isFatal: Bool
    let place: String
    /// Without the full stop.
    let text: String
  }

  let role: KeyRole
  /// Where the role's usual key file lies.
  let usualPath: String
  /// The keys that metadata names; `nil` where there is no metadata to ask.
  let needed: RoleKeys?
  /// The role's key files.
  let files: [FoundKey]

  /// Every role's keys.
  static func all(_ search: KeySearch, trustedBy published: PublishedMetadata?) throws -> [KeyStatus] {
    let found = try search.found()
    return KeyRole.allCases.map { role in
      KeyStatus(
        role: role, usualPath: "\(search.folder)/\(KeyFileName(role).text)",
        needed: published?.keys(of: role), files: found.filter { $0.role == role })
    }
  }

  /// The files whose keys count now.
  var current: [FoundKey] {
    guard let needed else { return files.filter { $0.key != nil } }
    return files.filter { file in file.keyID.map(needed.keyIDs.contains) == true }
  }

  /// The files whose keys no metadata names: they were replaced, or belong to another deployment or a newer publication.
  var unnamed: [FoundKey] {
    files.filter { file in !file.isNew && file.key != nil && !current.contains { $0.path == file.path } }
  }

  /// Whether enough keys are at hand to sign.
  var canSign: Bool { Set(current.compactMap(\.keyID)).count >= (needed?.threshold ?? 1) }

  /// What is wrong with the keys.
  var problems: [Problem] {
    let own = files.compactMap { file in
      file.problem.map { Problem(isFatal: $0.isFatal && !canSign, place: file.path, text: $0.text) }
    }
    return own + (lack.map { [$0] } ?? [])
  }

  /// A publisher needs enough of the online keys; the others may be kept elsewhere.
  private var lack: Problem? {
    let isUnreadable = files.contains { $0.key == nil }
    guard !canSign, !role.isOffline, !isUnreadable else { return nil }
    if let other = unnamed.first {
      return Problem(
        isFatal: true, place: other.path,
        text: "the publication's metadata does not name this key for the role \(role.rawValue)")
    }
    return Problem(
      isFatal: true, place: usualPath, text: "the key is missing: every publish step needs it")
  }

  /// `present`, `incomplete`, `missing`, `unusable`, or `elsewhere`, where the keys of root and targets belong.
  var word: String {
    if canSign { return "present" }
    if files.contains(where: { $0.key == nil }) { return "unusable" }
    return current.isEmpty ? role.isOffline ? "elsewhere" : "missing" : "incomplete"
  }
}
