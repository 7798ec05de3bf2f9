import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// One role's keys: those that metadata names, and those that were found.
struct KeyStatus {
  struct Problem {
    let isFatal: Bool
    let place: String
    /// Without the full stop.
    let text: String
  }

  let role: KeyRole
  /// The path of the role's usual key file.
  let usualPath: String
  /// The keys that metadata names; `nil` without metadata.
  let needed: RoleKeys?
  /// The role's key files.
  let files: [FoundKey]

  static func all(_ search: KeySearch, trustedBy published: PublishedMetadata?) throws -> [KeyStatus] {
    let found = try search.found()
    return KeyRole.allCases.map { role in
      KeyStatus(
        role: role, usualPath: "\(search.folder)/\(KeyFileName(role).text)",
        needed: published?.keys(of: role), files: found.filter { $0.role == role })
    }
  }

  /// The files whose keys are in force.
  var current: [FoundKey] {
    guard let needed else { return files.filter { $0.key != nil } }
    return files.filter { file in file.keyID.map(needed.keyIDs.contains) == true }
  }

  /// The files whose keys no metadata names: replaced ones, or those of another deployment or a newer publication.
  var unnamed: [FoundKey] {
    files.filter { file in !file.isNew && file.key != nil && !current.contains { $0.path == file.path } }
  }

  /// True where enough keys were found to sign.
  var canSign: Bool { Set(current.compactMap(\.keyID)).count >= (needed?.threshold ?? 1) }

  var problems: [Problem] {
    let own = files.compactMap { file in
      file.problem.map { Problem(isFatal: $0.isFatal && !canSign, place: file.path, text: $0.text) }
    }
    return own + [missing].compactMap(\.self)
  }

  /// A publisher needs enough of the online keys; the others may be kept elsewhere.
  private var missing: Problem? {
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

/// The output of `keys status`: every role's keys, their files, and the next steps.
struct KeyStatusReport {
  let published: PublishedMetadata
  let roles: [KeyStatus]
  let pending: OfflineChange
  /// The deployment's own folder of keys.
  let folder: String
  let now: UTCTime

  var text: String {
    (roles.flatMap(lines) + pendingLines + advice.map { "next: \($0)" }).joined(separator: "\n")
  }

  private func lines(_ status: KeyStatus) -> [String] {
    let needed = status.needed
    let expiry = expires(status.role).map { $0 <= now ? ", EXPIRED on \($0)" : ", signed until \($0)" } ?? ""
    let title =
      "\(status.role.rawValue): \(needed?.threshold ?? 0) of \(needed?.keyIDs.count ?? 0) keys must sign\(expiry)"
    let named = (needed?.keyIDs ?? []).map { keyID in
      let places = status.current.filter { $0.keyID == keyID }.map(\.path.printable)
      return "  \(Self.short(keyID))  \(places.isEmpty ? "not here" : places.joined(separator: ", "))"
    }
    let others = status.unnamed.map { file in
      isReplaced(file)
        ? "  replaced, and may be deleted: \(file.path.printable)"
        : "  not used here: \(file.path.printable)"
    }
    let new = status.files.filter { file in
      file.isNew && !status.current.contains { $0.path == file.path }
    }.map { "  new, not in force yet: \($0.path.printable)" }
    return [title] + named + others + new + status.problems.map { "  \($0.place.printable): \($0.text)" }
  }

  private static func short(_ keyID: String) -> String { String(keyID.prefix(2 * KeyFileName.tagLength)) }

  private var pendingLines: [String] {
    guard !pending.isEmpty else { return [] }
    guard pending.rest(after: published) != nil else {
      return ["a waiting change of keys is older than the metadata: drop it with 'seedbank keys discard'"]
    }
    return ["a change of keys waits for signatures:"] + pending.needs(after: published).map { "  " + $0.line }
  }

  // MARK: Next steps

  /// The most urgent first.
  private var advice: [String] {
    expiryAdvice + (pending.isEmpty ? [] : [pendingAdvice]) + keyAdvice + placeAdvice
  }

  private var expiryAdvice: [String] {
    [KeyRole.root, .targets].compactMap { role in
      expires(role).flatMap { ExpiryWarning(now: now).text(role.rawValue, $0) }
    }
  }

  private var pendingAdvice: String {
    let waiting = pending.needs(after: published).first { !$0.isMet }
    guard let waiting else { return "publish the signed key change with 'seedbank regenerate'" }
    let role = waiting.role.rawValue
    return "export the metadata to sign with 'seedbank keys payload \(role) > \(role).payload'"
  }

  private var keyAdvice: [String] {
    roles.filter { !$0.canSign && !$0.role.isOffline }.map {
      "put the \($0.role.rawValue) key back, or replace it with 'seedbank keys rotate \($0.role.rawValue)'"
    }
  }

  /// Offline keys are best kept elsewhere. A key in another folder, such as that of a USB stick, is there for a moment only.
  private var placeAdvice: [String] {
    let here = roles.filter { $0.role.isOffline }.flatMap(\.current).map(\.path)
      .filter { Folder.parent(of: $0) == folder }
    return here.isEmpty
      ? [] : ["move to a place without a network: \(here.map(\.printable).joined(separator: ", "))"]
  }

  /// True where a former root named the key. Of series keys nobody knows: the metadata that named them is gone.
  private func isReplaced(_ file: FoundKey) -> Bool {
    published.formerRoots.contains { root in
      file.keyID.map { root.roles[file.role.rawValue]?.keyIDs.contains($0) == true } == true
    }
  }

  private func expires(_ role: KeyRole) -> UTCTime? {
    switch role {
    case .root: published.root.expires
    case .targets: published.targets.expires
    case .series: published.series.values.map(\.expires).min()
    case .snapshot: published.snapshot.expires
    case .timestamp: published.timestamp.expires
    }
  }

  var json: JSONValue {
    [
      "root": .integer(Int64(published.root.version)), "targets": .integer(Int64(published.targets.version)),
      "roles": .array(roles.map(json)),
      "pending": pending.isEmpty
        ? .null : .array(pending.needs(after: published).map(\.json)),
      "next": .array(advice.map { .string($0) }),
    ]
  }

  private func json(_ status: KeyStatus) -> JSONValue {
    let keys = (status.needed?.keyIDs ?? []).map { keyID -> JSONValue in
      let files = status.current.filter { $0.keyID == keyID }.map { JSONValue.string($0.path) }
      return ["keyid": .string(keyID), "files": .array(files)]
    }
    return [
      "role": .string(status.role.rawValue), "threshold": JSONValue(status.needed?.threshold),
      "expires": JSONValue(expires(status.role)?.text), "state": .string(status.word), "keys": .array(keys),
      "unused": .array(status.unnamed.map { .string($0.path) }),
      "problems": .array(status.problems.map { .string("\($0.place): \($0.text)") }),
    ]
  }
}

extension SignatureNeed {
  /// `root metadata, by the keys of root 1: 1 of 2 signatures, missing: 77aa01be or 90cd12fe`.
  var line: String {
    let asked = keys.keyIDs.filter { !signed.contains($0) }.map { String($0.prefix(KeyFileName.tagLength)) }
    let done = keys.keyIDs.filter(signed.contains).map { String($0.prefix(KeyFileName.tagLength)) }
    let standing =
      isMet
      ? "enough"
      : "\(done.count) of \(keys.threshold) signatures, missing: \(asked.joined(separator: " or "))"
    return "\(role.rawValue) metadata, by \(whose): \(standing)"
  }

  var json: JSONValue {
    [
      "role": .string(role.rawValue), "threshold": .integer(Int64(keys.threshold)),
      "signed": .array(signed.sorted().map { .string($0) }),
      "asked": .array(keys.keyIDs.filter { !signed.contains($0) }.map { .string($0) }),
    ]
  }
}
