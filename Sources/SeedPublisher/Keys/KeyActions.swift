package import SeedFormat
package import SeedPublication
package import SeedSigning
package import SeedSystem
package import SeedTrust

/// The operator's key changes. An interrupted change is finished before another begins.
package struct KeyActions {
  private let search: KeySearch
  private let newKeys: NewKeys
  private let lifetimeSeconds: Int
  private let rootPath: String
  private let isPrepared: Bool
  private let now: UTCTime
  private let makePublisher: (KeyRing) -> Publisher
  private let before: Result<PublishedMetadata, any Error>

  /// New offline keys go to `folders`. Apps ship the file at `rootPath`. `isPrepared` allows missing keys.
  package init(
    _ search: KeySearch, newIn folders: [String], lifetimeSeconds: Int, rootPath: String, isPrepared: Bool,
    now: UTCTime, publisher: @escaping (KeyRing) -> Publisher
  ) throws(Refusal) {
    for folder in search.others where !Folder.exists("\(folder)/.") {
      throw Refusal(.configuration, "\(folder): expected a folder for keys, found none.")
    }
    (self.search, newKeys) = (search, NewKeys(search: search, folders: folders))
    (self.lifetimeSeconds, self.rootPath, self.isPrepared) = (lifetimeSeconds, rootPath, isPrepared)
    (self.now, makePublisher) = (now, publisher)
    before = Result {
      let publication = publisher(KeyRing()).publication
      try publication.checkRoots(shipped: rootPath)
      return try publication.published()
    }
  }

  private func publisher() throws -> Publisher { makePublisher(try search.found().ring) }

  package func status() throws -> KeyStatusReport {
    let published = try before.get()
    return KeyStatusReport(
      published: published, roles: try KeyStatus.all(search, trustedBy: published),
      pending: try publisher().pendingChange(), now: now)
  }

  /// Signs root or targets metadata again. Renewed targets metadata also delegates to new series.
  package func renew(_ role: KeyRole, for series: [SeedSeries]) throws -> KeyChangeReport {
    try afterFinishing { published in
      try requireSigners([role], published)
      return try change { published, signer in
        if role == .root { return try OfflineChange(root: signer.renewedRoot(after: published)) }
        let new = series.filter { !published.delegatedSeries.contains($0) }
        guard !new.isEmpty, let verifiers = published.targets.delegations?.verifiers else {
          return try OfflineChange(targets: signer.renewedTargets(after: published))
        }
        return try OfflineChange(
          targets: signer.targets(
            delegating: published.delegatedSeries + new, to: verifiers, after: published))
      }
    }
  }

  /// Replaces all keys of the roles with the given keys and newly made ones. If `loss` is given, begins a new chain of
  /// trust, because too few root keys are left.
  package func rotate(
    _ roles: [KeyRole], to keys: [PublicKey], count: Int?, threshold: Int?, loss: KeyLoss? = nil
  ) throws -> KeyChangeReport {
    try afterFinishing { published in
      if let loss { try check(loss, published) }
      let replacement = try KeyReplacement(
        rotating: roles, to: keys, count: count, threshold: threshold, published)
      return try replace(replacement, isLost: loss != nil)
    }
  }

  /// Removes the key whose id begins with `prefix` from every role.
  package func revoke(_ prefix: String, for keys: [PublicKey], isReplaced: Bool) throws -> KeyChangeReport {
    try afterFinishing { published in
      try replace(
        KeyReplacement(revoking: prefix, for: keys, isReplaced: isReplaced, published), isLost: false)
    }
  }

  /// Finishes an interrupted change, or runs `body` if there is none.
  private func afterFinishing(
    _ body: (PublishedMetadata) throws -> KeyChangeReport
  ) throws -> KeyChangeReport {
    let finished = try publisher().finishChange(lifetimeSeconds: lifetimeSeconds, now: now)
    if let finished { return try report(.published(finished), isAnother: true) }
    let published = try before.get()
    try newKeys.sweep()
    return try body(published)
  }

  private func replace(_ replacement: KeyReplacement, isLost: Bool) throws -> KeyChangeReport {
    let signers = isLost ? [] : replacement.signingRoles
    try requireSigners(signers, replacement.published)
    let verifiers = try newKeys.verifiers(replacement)
    return try change { published, signer in
      guard KeyRole.allCases.allSatisfy({ published.keys(of: $0) == replacement.published.keys(of: $0) })
      else { throw Refusal(.locked, "Another key change was published first. Check it, and try again.") }
      return try OfflineChange(verifiers, isLost: isLost, after: published, signer)
    }
  }

  private func change(
    _ propose: (PublishedMetadata, RepositorySigner) throws -> OfflineChange
  ) throws -> KeyChangeReport {
    try report(publisher().changeKeys(lifetimeSeconds: lifetimeSeconds, now: now, propose))
  }

  private func requireSigners(_ roles: [KeyRole], _ published: PublishedMetadata) throws {
    guard !isPrepared else { return }
    let ring = try search.found().ring
    for role in roles where ring.signers(of: published.keys(of: role)).isEmpty {
      throw Refusal(
        .configuration,
        "A \(role.rawValue) key must sign this change, but none is here: name its folder with --with, or use --prepare and"
          + " sign the output of 'seedbank keys payload \(role.rawValue)' on another machine.")
    }
  }

  private func check(_ loss: KeyLoss, _ published: PublishedMetadata) throws {
    if try search.found().ring.canSign(for: published.keys(of: .root)) {
      throw Refusal(
        .usage,
        "Enough root keys are here, so omit --lost: 'seedbank keys rotate root' keeps all apps working.")
    }
    guard loss == .suspected else { return }
    let ids = (published.keys(of: .root)?.keyIDs ?? []).map { $0.prefix(KeyFileName.tagLength) }
    throw Refusal(
      .usage,
      "This begins a new chain of trust, and the root keys \(ids.joined(separator: ", ")) can never sign again:"
        + " if they are not lost, give their folders with --with; otherwise confirm with --yes.")
  }

  /// Returns the metadata that waits for signatures, and a description of it.
  package func payload(_ role: KeyRole) throws -> (bytes: [UInt8], summary: [String]) {
    guard let payload = try publisher().pendingChange().payload(role) else {
      throw Refusal(
        .configuration,
        "No \(role.rawValue) metadata waits for signatures: begin a change with 'seedbank keys renew', 'rotate' or"
          + " 'revoke'.")
    }
    return (payload, try OfflineSigning.summary(of: payload, file: role.rawValue))
  }

  package func addSignatures(_ paths: [String]) throws -> KeyChangeReport {
    let files = try paths.map { ($0, try SignatureFile(readingFile: $0)) }
    let outcome = try publisher().addSignatures(lifetimeSeconds: lifetimeSeconds, now: now) {
      change, published in
      for (path, file) in files { try change.add(file, path, after: published) }
    }
    return try report(outcome)
  }

  package func discard() throws { try publisher().discardChange() }

  private func report(_ outcome: KeyChangeOutcome, isAnother: Bool = false) throws -> KeyChangeReport {
    var report = KeyChangeReport(outcome: outcome, isAnother: isAnother)
    if case .published(let published) = outcome { try settle(published, &report) }
    return report
  }

  private func settle(_ published: PublishedMetadata, _ report: inout KeyChangeReport) throws {
    guard let before = try? before.get() else { return }
    let found = try search.found()
    func files(of metadata: PublishedMetadata, notOf other: PublishedMetadata) -> [String] {
      found.filter { $0.keyID.map { metadata.names($0) && !other.names($0) } == true }.map(\.path)
    }
    report.newFiles = files(of: published, notOf: before)
    report.replacedFiles = files(of: before, notOf: published)
    if published.root.version >= before.root.version + Root.gapAfterLoss { report.lostRoot = rootPath }
  }
}

package enum KeyLoss: Sendable { case suspected, confirmed }

package struct KeyChangeReport {
  fileprivate let outcome: KeyChangeOutcome
  fileprivate let isAnother: Bool
  fileprivate var newFiles: [String] = []
  fileprivate var replacedFiles: [String] = []
  /// The root file that begins a new chain of trust.
  fileprivate var lostRoot: String?

  package var text: String {
    switch outcome {
    case .published(let published):
      let (root, targets) = (published.root, published.targets)
      let line =
        "published: root \(root.version) until \(root.expires), targets \(targets.version) until \(targets.expires)"
      let files =
        newFiles.map { "new key: \($0.printable)" }
        + replacedFiles.map { "replaced, and may be deleted: \($0.printable)" }
      return ([line] + files + (isAnother ? [Self.unfinished] : [])).joined(separator: "\n")
    case .waits(let needs):
      let next = needs.first { !$0.isMet }.map { "next: \($0.payloadAdvice)" }
      let lines = ["not published yet: the change waits for signatures"] + needs.map { "  \($0.line)" }
      return (lines + [next].compactMap(\.self)).joined(separator: "\n")
    }
  }

  private static let unfinished =
    "An interrupted earlier change was finished instead of this one. Repeat the command if this change is still needed."

  /// Advice that is not part of the result.
  package var note: String? {
    guard case .published = outcome, let lostRoot else { return nil }
    return
      "Ship \(lostRoot.printable) with the next version of the app. Until the apps have it, replace no other keys: apps with"
      + " the old root would stop getting updates."
  }

  package var json: JSONValue {
    switch outcome {
    case .published(let published):
      [
        "published": true, "root": JSONValue(published.root.version),
        "targets": JSONValue(published.targets.version), "finishedAnother": .bool(isAnother),
        "newFiles": JSONValue(strings: newFiles), "replacedFiles": JSONValue(strings: replacedFiles),
      ]
    case .waits(let needs): ["published": false, "needs": .array(needs.map(\.json))]
    }
  }
}

extension OfflineChange {
  fileprivate init(
    _ verifiers: [KeyRole: RoleVerifiers], isLost: Bool, after published: PublishedMetadata,
    _ signer: RepositorySigner
  ) throws {
    let inRoot = verifiers.filter(\.key.isInRoot)
    let root =
      isLost || !inRoot.isEmpty
      ? signer.root(replacing: inRoot, startingChain: isLost, after: published) : nil
    let targets: Targets? =
      if let series = verifiers[.series] {
        try signer.targets(delegating: published.delegatedSeries, to: series, under: root, after: published)
      } else if verifiers[.targets] != nil {
        try signer.renewedTargets(under: root, after: published)
      } else {
        nil
      }
    try self.init(root: root, targets: targets)
  }

  /// Adds a signature from a file. A signature without a key id is tried with every permitted key.
  fileprivate mutating func add(
    _ file: SignatureFile, _ path: String, after published: PublishedMetadata
  ) throws {
    var failure: (any Error)?
    for need in needs(after: published) {
      for keyID in file.keyID.map({ [$0] }) ?? need.keys.keyIDs {
        do {
          return try add(RoleSignature(keyID: keyID, hex: file.hex), to: need.role, after: published)
        } catch {
          if case .doesNotVerify = error { failure = error }
          failure = failure ?? error
        }
      }
    }
    throw Refusal(.badData, "\(path): \(failure.map { "\($0)" } ?? "no waiting key change needs it").")
  }
}
