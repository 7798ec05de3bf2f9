import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Who may sign what, where the keys are, and what is to be done.
struct KeyStanding {
  private let published: PublishedMetadata
  private let roles: [KeyStatus]
  private let pending: OfflineChange
  /// The deployment's own folder of keys.
  private let folder: String
  private let now: UTCTime

  init(
    _ published: PublishedMetadata, _ roles: [KeyStatus], pending: OfflineChange, folder: String, now: UTCTime
  ) {
    self.folder = folder
    self.published = published
    self.roles = roles
    self.pending = pending
    self.now = now
  }

  // MARK: For a person

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
        : "  not in use here: \(file.path.printable)"
    }
    let new = status.files.filter(\.isNew).filter { file in !status.current.contains { $0.path == file.path }
    }
    .map { "  new, and not in force yet: \($0.path.printable)" }
    return [title] + named + others + new + status.problems.map { "  \($0.place.printable): \($0.text)" }
  }

  private static func short(_ keyID: String) -> String { String(keyID.prefix(2 * KeyFileName.tagLength)) }

  private var pendingLines: [String] {
    guard !pending.isEmpty else { return [] }
    guard pending.rest(after: published) != nil else {
      return ["a change of keys waits that newer metadata has overtaken: 'seedbank keys discard'"]
    }
    return ["a change of keys waits for signatures:"] + pending.needs(after: published).map { "  " + $0.line }
  }

  // MARK: What to do

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
    guard let waiting else { return "'seedbank regenerate' publishes the change of keys that is signed" }
    let role = waiting.role.rawValue
    return "'seedbank keys payload \(role) > \(role).payload' exports what is to be signed"
  }

  private var keyAdvice: [String] {
    roles.filter { !$0.canSign && !$0.role.isOffline }.map {
      "put the \($0.role.rawValue) key back, or replace it with 'seedbank keys rotate \($0.role.rawValue)'"
    }
  }

  /// Offline keys are best kept elsewhere. Those of other folders are, as long as these are not here for long.
  private var placeAdvice: [String] {
    let here = roles.filter { $0.role.isOffline }.flatMap(\.current).map(\.path)
      .filter { Folder.parent(of: $0) == folder }
    return here.isEmpty
      ? [] : ["move to a place without a network: \(here.map(\.printable).joined(separator: ", "))"]
  }

  /// Whether a former root named the key, so that it was replaced. Of series keys nobody knows: what named them is gone.
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

  // MARK: For a script

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
