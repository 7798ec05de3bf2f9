package import SeedFormat
package import SeedPublication
package import SeedSigning
package import SeedSystem
package import SeedTrust

package struct KeyStatus {
  package let role: KeyRole
  let usualPath: String
  let needed: RoleKeys?
  let files: [FoundKey]

  package static func all(_ search: KeySearch, trustedBy published: PublishedMetadata?) throws -> [KeyStatus]
  {
    let found = try search.found()
    return KeyRole.allCases.map { role in
      KeyStatus(
        role: role, usualPath: "\(search.folder)/\(KeyFileName(role).text)",
        needed: published?.keys(of: role), files: found.filter { $0.role == role })
    }
  }

  var current: [FoundKey] {
    guard let needed else { return files.filter { $0.key != nil } }
    return files.filter { $0.isNamed(by: needed) }
  }

  /// Files with keys that no metadata names: replaced keys, keys of a pending change, or keys of another publication.
  var unnamed: [FoundKey] {
    files.filter { file in file.key != nil && !current.contains { $0.path == file.path } }
  }

  package var canSign: Bool { Set(current.compactMap(\.keyID)).count >= (needed?.threshold ?? 1) }

  package var faults: [Fault] {
    let own = files.compactMap(\.fault).map {
      Fault(isFatal: $0.isFatal && !canSign, place: $0.place, problem: $0.problem)
    }
    return own + [missing].compactMap(\.self)
  }

  /// A fault if the publisher lacks online keys. Offline keys may be elsewhere.
  private var missing: Fault? {
    let isUnreadable = files.contains { $0.key == nil }
    guard !canSign, !role.isOffline, !isUnreadable else { return nil }
    if let other = unnamed.first {
      let problem = "the publication's metadata does not name this key for the role \(role.rawValue)"
      return Fault(isFatal: true, place: other.path, problem: problem)
    }
    return Fault(
      isFatal: true, place: usualPath,
      problem:
        "the key is missing: no publish step can begin, except in a 'seedbank run' that has already read the key"
    )
  }

  /// `present`, `incomplete`, `missing`, `unusable`, or `elsewhere` for offline keys.
  package var word: String {
    if canSign { return "present" }
    if files.contains(where: { $0.key == nil }) { return "unusable" }
    return current.isEmpty ? role.isOffline ? "elsewhere" : "missing" : "incomplete"
  }
}

package struct KeyStatusReport {
  let published: PublishedMetadata
  let roles: [KeyStatus]
  let pending: OfflineChange
  let now: UTCTime

  package var text: String {
    (roles.flatMap(lines) + pendingLines + advice.map { "next: \($0)" }).joined(separator: "\n")
  }

  private func lines(_ status: KeyStatus) -> [String] {
    let needed = status.needed
    let expiry = expires(status.role).map { $0 <= now ? ", EXPIRED on \($0)" : ", signed until \($0)" } ?? ""
    let title =
      "\(status.role.rawValue): \(needed?.threshold ?? 0) of \(needed?.keyIDs.count ?? 0) keys must sign\(expiry)"
    let named = (needed?.keyIDs ?? []).map { keyID in
      let places = status.current.filter { $0.keyID == keyID }.map(\.path.printable)
      return
        "  \(keyID.prefix(2 * KeyFileName.tagLength))  \(places.isEmpty ? "not here" : places.joined(separator: ", "))"
    }
    let others = status.unnamed.map { "  \(use(of: $0)): \($0.path.printable)" }
    return [title] + named + others + status.faults.map { "  \($0.place.printable): \($0.problem)" }
  }

  private var pendingLines: [String] {
    guard !pending.isEmpty else { return [] }
    guard pending.rest(after: published) != nil else {
      return ["a waiting key change is older than the metadata"]
    }
    return ["a key change waits for signatures:"] + pending.needs(after: published).map { "  " + $0.line }
  }

  /// Missing online keys come first, because without them no publish step begins.
  private var advice: [String] {
    let expiries = published.signatures.filter(\.isOffline).compactMap { $0.warning(now: now) }
    let missing = roles.filter { !$0.canSign && !$0.role.isOffline }.map {
      "put the \($0.role.rawValue) key back, or replace it with 'seedbank keys rotate \($0.role.rawValue)'"
    }
    return missing + expiries + (pending.isEmpty ? [] : [pendingAdvice])
  }

  private var pendingAdvice: String {
    guard pending.rest(after: published) != nil else {
      return "drop the older key change with 'seedbank keys discard'"
    }
    let waiting = pending.needs(after: published).first { !$0.isMet }
    return waiting?.payloadAdvice ?? "publish the signed key change with 'seedbank regenerate'"
  }

  private func use(of file: FoundKey) -> String {
    if isPending(file) { return "new, not in force yet" }
    return isReplaced(file) ? "replaced, and may be deleted" : "not used here"
  }

  private func isPending(_ file: FoundKey) -> Bool { file.keyID.map(pending.names) == true }

  /// Whether a former root named the key. False for series keys, because their old metadata is gone.
  private func isReplaced(_ file: FoundKey) -> Bool {
    published.formerRoots.contains { file.isNamed(by: $0.roles[file.role.rawValue]) }
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

  package var json: JSONValue {
    [
      "root": JSONValue(published.root.version), "targets": JSONValue(published.targets.version),
      "roles": .array(roles.map(json)),
      "pending": pending.isEmpty ? .null : .array(pending.needs(after: published).map(\.json)),
      "next": JSONValue(strings: advice),
    ]
  }

  private func json(_ status: KeyStatus) -> JSONValue {
    let keys = (status.needed?.keyIDs ?? []).map { keyID -> JSONValue in
      let files = status.current.filter { $0.keyID == keyID }.map(\.path)
      return ["keyid": .string(keyID), "files": JSONValue(strings: files)]
    }
    return [
      "role": .string(status.role.rawValue), "threshold": JSONValue(status.needed?.threshold),
      "expires": JSONValue(expires(status.role)?.text), "state": .string(status.word), "keys": .array(keys),
      "unused": JSONValue(strings: status.unnamed.filter { !isPending($0) }.map(\.path)),
      "problems": JSONValue(strings: status.faults.map(\.text)),
    ]
  }
}

extension SignatureNeed {
  /// `root metadata, by the keys of root 1: 1 of 2 signatures, missing: 77aa01be or 90cd12fe`.
  var line: String {
    let missing = asked.map { $0.prefix(KeyFileName.tagLength) }.joined(separator: " or ")
    let done = keys.keyIDs.count - asked.count
    let standing = isMet ? "enough" : "\(done) of \(keys.threshold) signatures, missing: \(missing)"
    return "\(role.rawValue) metadata, by \(whose): \(standing)"
  }

  var payloadAdvice: String {
    "export the metadata to sign with 'seedbank keys payload \(role.rawValue) > \(role.rawValue).payload'"
  }

  private var asked: [String] { keys.keyIDs.filter { !signed.contains($0) } }

  var json: JSONValue {
    [
      "role": .string(role.rawValue), "threshold": JSONValue(keys.threshold),
      "signed": JSONValue(strings: signed.sorted()), "asked": JSONValue(strings: asked),
    ]
  }
}

extension SignatureExpiry {
  /// Returns a warning if the metadata has expired or expires soon. Running publishers renew online signatures, so if
  /// most of their `lifetime` (in seconds) is over, no publisher is running.
  func warning(lifetime: Int? = nil, now: UTCTime) -> String? {
    let remedy =
      isOffline
      ? "renew it with 'seedbank keys renew \(role)', and give each folder of its keys with --with"
      : "run 'seedbank run' or 'seedbank regenerate'"
    return switch state(at: now, lifetimeSeconds: lifetime) {
    case .expired: "\(role): its metadata expired at \(expires), and no client accepts it: \(remedy)"
    case .expiring, .notRenewed: "\(role): its metadata expires at \(expires): \(remedy)"
    case .valid: nil
    }
  }
}

package struct SignatureStatus {
  package let warnings: [String]
  /// Warnings about signatures that clients reject.
  package let expired: [String]

  /// `lifetime` is the shortest validity of any dataset's online signatures, in seconds.
  package init(_ published: PublishedMetadata, pending: OfflineChange, lifetime: Int, now: UTCTime) {
    let waiting = pending.isEmpty ? [] : ["a key change waits for signatures: see 'seedbank keys status'"]
    let signatures = published.signatures
    warnings = signatures.compactMap { $0.warning(lifetime: lifetime, now: now) } + waiting
    expired = signatures.filter { $0.state(at: now) == .expired }.compactMap { $0.warning(now: now) }
  }

  package var failure: Refusal? {
    guard !expired.isEmpty else { return nil }
    let message = "Clients reject the publication: signatures have expired. See 'seedbank keys status'."
    return Refusal(.configuration, message)
  }
}
