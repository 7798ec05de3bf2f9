import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

struct KeyActions {
  private let arguments: ParsedArguments
  private let context: Context
  private let configuration: DeploymentConfiguration
  private let publication: PublicationDirectory
  private let search: KeySearch
  private let newKeys: NewKeys
  private let before: Result<PublishedMetadata, any Error>

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    (self.arguments, self.context) = (arguments, context)
    configuration = try context.configuration(arguments)
    publication = PublicationDirectory(configuration.publication)
    let folders = try arguments.paths("to", from: context.currentDirectory)
    // New keys must sign too, so their folders are searched.
    let others = try arguments.paths("with", from: context.currentDirectory) + folders
    for folder in others where !Folder.exists("\(folder)/.") {
      throw CommandFailure(.configuration, "\(folder): expected a folder for keys, found none.")
    }
    search = KeySearch(configuration, others: others, context)
    newKeys = NewKeys(search: search, folders: folders)
    before = Result { [publication] in try publication.published() }
  }

  private func publisher() throws -> Publisher {
    Publisher(configuration, keys: KeySource(try search.found().ring))
  }

  func status() throws {
    let published = try before.get()
    let report = KeyStatusReport(
      published: published, roles: try KeyStatus.all(search, trustedBy: published),
      pending: try publisher().pendingChange(), folder: search.folder, now: .now())
    try context.console.report(report.json, report.text)
  }

  func renew() throws {
    try begin { published in
      let role = try arguments.keyRoles([.root, .targets])[0]
      let series = try configuration.datasets.flatMap { try $0.plans().map(\.series) }
      try change(signedBy: [role], published) { published, signer in
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

  func rotate() throws { try begin { try replace(KeyReplacement(rotating: arguments, context, $0)) } }

  func revoke() throws { try begin { try replace(KeyReplacement(revoking: arguments, context, $0)) } }

  /// Finishes an interrupted change first; in that case `body` does not run.
  private func begin(_ body: (PublishedMetadata) throws -> Void) throws {
    let finished = try publisher().finishChange(lifetimeSeconds: configuration.shortestLifetime, now: .now())
    if let finished { return try tell(.published(finished), isAnother: true) }
    let published = try before.get()
    // A process that died after publishing left the new keys' temporary names.
    try newKeys.settle(published)
    try body(published)
  }

  private func replace(_ replacement: KeyReplacement) throws {
    let isLost = arguments.flag("lost")
    if isLost { try confirmLoss(replacement.published) }
    let signers = isLost ? [] : replacement.signingRoles
    try requireSigners(signers, replacement.published)
    let verifiers = try newKeys.verifiers(replacement)
    try change(signedBy: signers, replacement.published) { published, signer in
      guard published.root.version == replacement.published.root.version else {
        throw CommandFailure(
          .locked, "Another change of keys was published first. Check it, and try again.")
      }
      return try OfflineChange(verifiers, isLost: isLost, after: published, signer)
    }
  }

  private func change(
    signedBy roles: [KeyRole], _ published: PublishedMetadata,
    _ propose: (PublishedMetadata, RepositorySigner) throws -> OfflineChange
  ) throws {
    try requireSigners(roles, published)
    try tell(publisher().changeKeys(lifetimeSeconds: configuration.shortestLifetime, now: .now(), propose))
  }

  /// Throws if a required role has no key here, unless the change is only prepared.
  private func requireSigners(_ roles: [KeyRole], _ published: PublishedMetadata) throws {
    guard !arguments.flag("prepare") else { return }
    let ring = try search.found().ring
    for role in roles where ring.signers(of: published.keys(of: role)).isEmpty {
      throw CommandFailure(
        .configuration,
        "None of the \(role.rawValue) keys that must sign this is here: give their folder with --with, or use --prepare,"
          + " and sign the output of 'seedbank keys payload \(role.rawValue)' elsewhere.")
    }
  }

  private func confirmLoss(_ published: PublishedMetadata) throws {
    if try search.found().ring.canSign(for: published.keys(of: .root)) {
      throw CommandFailure(
        .usage,
        "Enough root keys are here: 'seedbank keys rotate root' without --lost keeps all apps working.")
    }
    guard !arguments.flag("yes") else { return }
    let ids = (published.keys(of: .root)?.keyIDs ?? []).map { $0.prefix(KeyFileName.tagLength) }
    throw CommandFailure(
      .usage,
      "This begins a new chain of trust, and the root keys \(ids.joined(separator: ", ")) can never sign again:"
        + " attach them if they are not lost, or confirm with --yes.")
  }

  func exportPayload() throws {
    let role = try arguments.keyRoles([.root, .targets])[0]
    guard let payload = try publisher().pendingChange().payload(role) else {
      throw CommandFailure(
        .configuration,
        "No \(role.rawValue) metadata waits for signatures: begin a change with 'seedbank keys renew', 'rotate' or"
          + " 'revoke'.")
    }
    for line in try OfflineSigning.summary(of: payload, file: role.rawValue) { context.console.note(line) }
    try context.console.result(payload)
  }

  func addSignatures() throws {
    let files = try arguments.paths("name", from: context.currentDirectory).map {
      (path: $0, signature: try SignatureFile(readingFile: $0))
    }
    try tell(
      publisher().addSignatures(lifetimeSeconds: configuration.shortestLifetime, now: .now()) {
        for file in files { try $0.add(file.signature, file.path, after: $1) }
      })
  }

  func discard() throws {
    try publisher().discardChange()
    context.console.note(
      "No change of keys is waiting now. The files of new keys stay, and the next change uses them.")
  }

  private func tell(_ outcome: KeyChangeOutcome, isAnother: Bool = false) throws {
    var report = KeyChangeReport(outcome: outcome, isAnother: isAnother)
    if case .published(let published) = outcome { try settle(published, &report) }
    try context.console.report(report.json, report.text)
    guard case .published = outcome, arguments.flag("lost"), !isAnother else { return }
    context.console.note(
      "Ship \(configuration.rootPath.printable) with the next version of the app. Until the apps have it, replace no other"
        + " keys: apps with the old root would stop.")
  }

  /// Gives new keys their final file names, and updates the apps' root.json.
  private func settle(_ published: PublishedMetadata, _ report: inout KeyChangeReport) throws {
    report.newFiles = try newKeys.settle(published)
    let name = MetadataName.versioned(Root.type, published.root.version)
    if let root = try publication.metadata(name) { try DurableFile.write(root, to: configuration.rootPath) }
    guard let before = try? before.get() else { return }
    report.replacedFiles = try search.found().filter { found in
      found.keyID.map { before.names($0) && !published.names($0) } == true
    }.map(\.path)
  }
}

private struct KeyChangeReport {
  let outcome: KeyChangeOutcome
  /// Whether an earlier change was finished instead of the requested one.
  let isAnother: Bool
  var newFiles: [String] = []
  var replacedFiles: [String] = []

  var text: String {
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
      let lines = ["not published yet: it waits for signatures"] + needs.map { "  \($0.line)" }
      return (lines + [next].compactMap(\.self)).joined(separator: "\n")
    }
  }

  private static let unfinished =
    "An earlier change was unfinished, and is finished now. Repeat the command if the requested one is still needed."

  var json: JSONValue {
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
      isLost
      ? signer.rootAnew(replacing: inRoot, after: published)
      : inRoot.isEmpty ? nil : signer.root(replacing: inRoot, after: published)
    let targets: Targets? =
      if let series = verifiers[.series] {
        try signer.targets(
          delegating: published.delegatedSeries, to: series, under: root, after: published)
      } else if verifiers[.targets] != nil {
        try signer.renewedTargets(under: root, after: published)
      } else {
        nil
      }
    try self.init(root: root, targets: targets)
  }

  /// Adds a signature from a file; a bare one is tried with every permitted key.
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
    throw CommandFailure(.badData, "\(path): \(failure.map { "\($0)" } ?? "it fits no waiting change").")
  }
}
