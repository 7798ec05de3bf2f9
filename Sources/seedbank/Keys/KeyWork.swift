import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// One call of `seedbank keys` on a deployment.
struct KeyWork {
  let arguments: ParsedArguments
  let context: Context
  let configuration: DeploymentConfiguration
  let publication: PublicationDirectory
  private let search: KeySearch
  /// Where new keys of root and targets go.
  private let folders: [String]
  /// The keys that counted when the command began.
  private let replacedKeys: Set<String>

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    self.arguments = arguments
    self.context = context
    configuration = try context.configuration(arguments)
    publication = PublicationDirectory(configuration.publication)
    folders = try arguments.paths("to", from: context.currentDirectory)
    // New keys sign as well, wherever they are put.
    let others = try arguments.paths("with", from: context.currentDirectory) + folders
    for folder in others where !Folder.exists("\(folder)/.") {
      throw CommandFailure(.configuration, "\(folder): expected a folder for keys, found none.")
    }
    search = KeySearch(configuration, others: others, context)
    let published = try? publication.published()
    replacedKeys = Set(KeyRole.allCases.flatMap { published?.keys(of: $0)?.keyIDs ?? [] })
  }

  func run(_ action: KeyAction) throws {
    switch action {
    case .status, .new, .sign: try status()
    case .renew, .rotate, .revoke: try begin(action)
    case .payload: try export()
    case .addSignature: try addSignatures()
    case .discard: try discard()
    }
  }

  private func publisher() throws -> Publisher {
    Publisher(configuration, keys: KeySource(try search.found().ring))
  }

  private func status() throws {
    let standing = KeyStanding(
      try publication.published(), try KeyStatus.all(search, trustedBy: publication.published()),
      pending: try publisher().pendingChange(), folder: search.folder, now: .now())
    try arguments.flag("json") ? context.console.result(standing.json) : context.console.result(standing.text)
  }

  // MARK: Changes

  private func begin(_ action: KeyAction) throws {
    if let published = try publisher().finishChange(
      lifetimeSeconds: configuration.shortestLifetime, now: .now())
    {
      return try tell(KeyChangeReport(finishedAnother: published, files: settle(published)))
    }
    // A process that died behind its publication left the names of files as they were.
    try NewKeys(search, folders).settle(try publication.published())
    switch action {
    case .rotate: try rotate()
    case .revoke: try revoke()
    default: try renew()
    }
  }

  private func renew() throws {
    let role = try arguments.keyRoles([.root, .targets])[0]
    let series = try configuration.datasets.flatMap { try $0.plans().map(\.series) }
    try change([role]) { published, signer in
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

  private func rotate() throws {
    try replace(KeyReplacement(rotating: arguments, context, publication.published()))
  }

  private func revoke() throws {
    try replace(KeyReplacement(revoking: arguments, context, publication.published()))
  }

  private func replace(_ replacement: KeyReplacement) throws {
    let isLost = arguments.flag("lost")
    try requireSigners(replacement.signingRoles, isLost: isLost)
    let verifiers = try NewKeys(search, folders).verifiers(replacement)
    try change(isLost ? [] : replacement.signingRoles) { published, signer in
      guard published.root.version == replacement.published.root.version else {
        throw CommandFailure(
          .locked, "Another change of keys was published meanwhile: look at it, and try again.")
      }
      return try OfflineChange(verifiers, isLost: isLost, after: published, signer)
    }
  }

  /// Signs, publishes or lets wait what `propose` makes, and tells.
  private func change(
    _ roles: [KeyRole], _ propose: (PublishedMetadata, RepositorySigner) throws -> OfflineChange
  ) throws {
    try requireSigners(roles, isLost: false)
    let outcome = try publisher().changeKeys(
      lifetimeSeconds: configuration.shortestLifetime, now: .now(), propose)
    try tell(outcome)
  }

  /// Refuses where not one of the keys is here that must sign, unless the change is only to be prepared.
  private func requireSigners(_ roles: [KeyRole], isLost: Bool) throws {
    let (published, ring) = (try publication.published(), try search.found().ring)
    if isLost, ring.canSign(for: published.keys(of: .root)) {
      throw CommandFailure(
        .usage,
        "Enough root keys are here to sign the next root: 'seedbank keys rotate root' without --lost keeps all apps."
      )
    }
    if isLost, !arguments.flag("yes") {
      let ids = (published.keys(of: .root)?.keyIDs ?? []).map { String($0.prefix(KeyFileName.tagLength)) }
      throw CommandFailure(
        .usage,
        "This begins a new chain of trust, and the root keys \(ids.joined(separator: ", ")) can never sign again:"
          + " attach them if they are not lost, or say --yes.")
    }
    guard !arguments.flag("prepare"), !isLost else { return }
    for role in roles where ring.signers(of: published.keys(of: role)).isEmpty {
      throw CommandFailure(
        .configuration,
        "None of the \(role.rawValue) keys that must sign this is here: name their folder with --with, or use --prepare,"
          + " and sign elsewhere what 'seedbank keys payload \(role.rawValue)' exports.")
    }
  }

  // MARK: Signatures

  private func export() throws {
    let role = try arguments.keyRoles([.root, .targets])[0]
    let change = try publisher().pendingChange()
    guard let payload = change.payload(role) else {
      throw CommandFailure(
        .configuration,
        "No \(role.rawValue) metadata waits for signatures: 'seedbank keys renew', 'rotate' and 'revoke' begin a change."
      )
    }
    for line in try PayloadSummary(payload, file: role.rawValue).lines { context.console.note(line) }
    try context.console.result(payload)
  }

  private func addSignatures() throws {
    let files = try arguments.paths("name", from: context.currentDirectory).map {
      (path: $0, signature: try SignatureFile(readingFile: $0))
    }
    let outcome = try publisher().addSignatures(
      lifetimeSeconds: configuration.shortestLifetime, now: .now()
    ) { change, published in
      for file in files { try change.add(file.signature, file.path, after: published) }
    }
    try tell(outcome)
  }

  private func discard() throws {
    try publisher().discardChange()
    context.console.note(
      "No change of keys waits now. Files of new keys stay, and the next change takes them.")
  }

  // MARK: What came of it

  private func tell(_ outcome: KeyChangeOutcome) throws {
    guard case .published(let published) = outcome else { return try tell(KeyChangeReport(outcome)) }
    try tell(KeyChangeReport(outcome, files: settle(published)))
    guard arguments.flag("lost") else { return }
    context.console.note(
      "Ship \(configuration.rootPath.printable) with the next version of the app. Until the apps have it, replace no other"
        + " keys: apps with the old root would stop.")
  }

  private func tell(_ report: KeyChangeReport) throws {
    try arguments.flag("json") ? context.console.result(report.json) : context.console.result(report.text)
  }

  /// New keys get their names for good, and apps' root.json becomes the newest root.
  private func settle(_ published: PublishedMetadata) throws -> KeyFiles {
    let new = try NewKeys(search, folders).settle(published)
    let name = MetadataName.versioned(Root.type, published.root.version)
    if let root = try publication.metadata(name) { try DurableFile.write(root, to: configuration.rootPath) }
    let replaced = try search.found().filter { found in
      found.keyID.map { replacedKeys.contains($0) && !published.names($0) } == true
    }
    return KeyFiles(new: new, replaced: replaced.map(\.path))
  }
}

extension OfflineChange {
  /// The change that gives roles other keys.
  init(
    _ verifiers: [KeyRole: RoleVerifiers], isLost: Bool, after published: PublishedMetadata,
    _ signer: RepositorySigner
  ) throws {
    let inRoot = verifiers.filter(\.key.isInRoot)
    let root =
      isLost
      ? signer.rootAnew(replacing: inRoot, after: published)
      : inRoot.isEmpty ? nil : signer.root(replacing: inRoot, after: published)
    try self.init(root: root, targets: Self.targets(verifiers, root, after: published, signer))
  }

  private static func targets(
    _ verifiers: [KeyRole: RoleVerifiers], _ root: Root?, after published: PublishedMetadata,
    _ signer: RepositorySigner
  ) throws -> Targets? {
    if let series = verifiers[.series] {
      return try signer.targets(
        delegating: published.delegatedSeries, to: series, under: root, after: published)
    }
    return verifiers[.targets] == nil ? nil : try signer.renewedTargets(under: root, after: published)
  }

  /// Adds a signature from a file; a bare one is tried with every key that is asked for.
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
    throw CommandFailure(.badData, "\(path): \(failure.map { "\($0)" } ?? "it fits nothing that waits").")
  }
}
