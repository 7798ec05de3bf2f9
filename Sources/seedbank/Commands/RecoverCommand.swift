import SeedClient
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let recover = Command(
    name: "recover", abstract: "Restore a lost publication from a copy that is still served.",
    discussion: """
      Use this command if the publisher's disk is lost. It needs the contents of a backup: seedbank.json with the datasets' \
      folders, root.json and the keys. The published files, with the whole history, come from a follower, a static host or a mirror, \
      and are verified, beginning with the root file. Then all metadata is signed again, and the publisher continues in the same \
      epoch, so that clients need no snapshot. The next step rebuilds the files in the state folder.

      If you give several copies, the newest is used. Versions that it does not have are lost: the next step publishes the \
      origins' current rows.

      Name a private bucket as s3://bucket/prefix. If the bucket is a mirror in seedbank.json, it is read with the mirror's \
      credentials. Otherwise it is read from the store in AWS_ENDPOINT_URL_S3, with the credentials in AWS_ACCESS_KEY_ID and so on. The next \
      step brings mirrors with an older state up to date.

      An existing publication is never overwritten. If a key is missing, the message names it and the copied files stay. Run \
      the command again when the key is in place.
      """,
    options: [
      .config,
      .value(
        "from", "url", isRequired: true, isRepeatable: true,
        help:
          "A copy: the address of a follower, a front or a static host, a folder, or s3://bucket/prefix with credentials."
      ),
      .value(
        "root", "file",
        help: "The oldest root.json shipped in any app (default: the deployment's, if it is the first root)."),
      .json,
    ] + Parameter.log,
    examples: [
      (
        "seedbank recover --from https://one.example --from https://two.example",
        "Restore the newer copy of two followers."
      ),
      ("seedbank recover --from s3://seeds/prod", "Restore a copy in a private bucket."),
    ]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    try await Recovery(configuration: configuration, context: context, arguments: arguments).run()
  }
}

private struct Recovery {
  let configuration: DeploymentConfiguration
  let context: Context
  let arguments: ParsedArguments

  private var console: Console { context.console }

  func run() async throws {
    try refusePublication()
    let root = try arguments.rootFile() ?? shippedRoot()
    let sources = try arguments.sources("from", context, configuration.mirrors)
    let folder = try FollowFolder(configuration.publication)
    let warnings = try await takeOver(sources.map { try $0(folder.parts) }, from: root, into: folder)
    if !Folder.exists(configuration.rootPath) { try DurableFile.write(root, to: configuration.rootPath) }
    let published = try sign()
    try MirrorInheritance.claim(below: published.timestamp.version, in: configuration.state)
    try folder.release()
    try console.report(published.recoveredJSON(warnings), published.recoveredText)
    console.note(
      "Continue publishing with 'seedbank run' or 'seedbank regenerate': the next version follows these.")
  }

  private func refusePublication() throws(Refusal) {
    let path = configuration.publication
    guard PublicationDirectory(path).exists, !FollowFolder.isBegun(in: path) else { return }
    throw Refusal(
      .configuration,
      "\(path.printable) holds a publication, which 'recover' never overwrites: if it is damaged, move it away first."
    )
  }

  /// The deployment's root, which must be version 1: only this root and later ones are copied, but an
  /// app needs every root after its own.
  private func shippedRoot() throws -> [UInt8] {
    let bytes = try configuration.shippedRoot(
      orElse: "use --root to name the oldest root.json shipped in any app")
    let version = try TrustedMetadataSet(root: bytes, now: .distantPast).root.version
    guard version == 1 else {
      throw Refusal(
        .configuration,
        "\(configuration.rootPath.printable) is root \(version), so apps with an earlier root could not follow:"
          + " use --root to name the oldest root.json shipped in any app, such as metadata/1.root.json from a backup or"
          + " from the copy. If no app has an earlier root, use --root to name this file.")
    }
    return bytes
  }

  /// Copies each source that is newer than the ones before it, so the newest one remains, whatever the order. Prints and
  /// returns warnings.
  private func takeOver(
    _ sources: [any FollowSource], from root: [UInt8], into folder: FollowFolder
  ) async throws -> [String] {
    var (failures, warnings): ([any Error], [String]) = ([], [])
    func warn(_ text: String) {
      console.warning(text)
      warnings.append(text)
    }
    for source in sources {
      do {
        let follower = Follower(folder: folder, source: source, root: root, isExpiryPassedOver: true)
        let report = try await follower.look()
        (try expiryWarnings(folder.publication) + report.warnings).forEach(warn)
      } catch {
        failures.append(error)
        if sources.count > 1 { warn(Refusal(of: error).message) }
      }
    }
    // A source rejected as older is no failure: an earlier call may have brought the folder to a newer state.
    let isOlder = failures.contains { ($0 as? FollowFailure)?.isOlder == true }
    if let failure = failures.first, failures.count == sources.count, !isOlder { throw failure }
    return warnings
  }

  private func sign() throws -> PublishedMetadata {
    do {
      let deployment = try Deployment(configuration, context)
      return try deployment.publisher.signAll(lifetimeSeconds: configuration.shortestLifetime, now: .now())
    } catch {
      let report = Refusal(of: error)
      throw Refusal(
        report.exitCode,
        "\(report.message) The published files are restored, but cannot be signed: run 'seedbank recover' again "
          + "when this is fixed.")
    }
  }
}

extension DeploymentConfiguration {
  fileprivate func shippedRoot(orElse remedy: String) throws -> [UInt8] {
    guard Folder.exists(rootPath) else {
      throw Refusal(.configuration, "The trust anchor \(rootPath.printable) is missing: \(remedy).")
    }
    return try TextFile.root(rootPath)
  }
}

private func expiryWarnings(_ copy: PublicationDirectory) throws -> [String] {
  try copy.published().signatures.filter { $0.expires <= .now() }.map {
    "The signatures of \($0.role) in the copy expired on \($0.expires)."
  }
}

extension PublishedMetadata {
  private var recovered: [SeriesMetadata] { series.sorted { $0.key < $1.key }.map(\.value.metadata) }

  fileprivate var recoveredText: String {
    recovered.map { "\($0.series): version \($0.state.head), published at \($0.state.publishedAt)" }
      .joined(separator: "\n")
  }

  fileprivate func recoveredJSON(_ warnings: [String]) -> JSONValue {
    ["series": .array(recovered.map(\.headJSON)), "warnings": JSONValue(strings: warnings)]
  }
}

extension Command {
  static let newEpoch = Command(
    name: "new-epoch", abstract: "Start all histories over after the publication was lost.",
    discussion: """
      Use this command only after a disaster: the publication is lost, or the newest backup is older than the clients' data. Every \
      series begins a new history at version 1 with the current rows of its origin, under the root that clients \
      trust, and every client downloads a snapshot. If the publication exists but is too old, it is \
      continued; if it is lost, a new one is made. The command needs root.json and the keys, including the targets \
      key. If a dataset or series was removed, name it with --removed, because clients that knew it reject a publication that \
      does not name it. The command ends the holds of rollbacks, accepts tables that lost rows, and reads a standby even if it \
      lacks published rows.
      """,
    options: [
      .config,
      .value(
        "with", "folder", isRepeatable: true, help: "Another folder with keys, such as the targets key."),
      .value(
        "removed", "series", isRepeatable: true,
        help: "A series that was published once, but is no longer configured, such as parks/1."),
      .flag("yes", help: "Confirm that every client downloads a snapshot."), .json,
    ] + Parameter.log, examples: [("seedbank new-epoch --yes", "Start the histories of all datasets over.")]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    let jobs = try configuration.datasets.map { try DatasetJob($0) }
    let removed = try arguments.series("removed")
    guard arguments.flag("yes") else {
      throw Refusal(
        .usage,
        "This restarts the histories of \(jobs.map(\.name.text).joined(separator: ", ")), so every client downloads"
          + " a snapshot: confirm it with --yes.")
    }
    let deployment = try Deployment(configuration, context, keysIn: arguments.paths("with"))
    try await Mirrors(configuration, deployment.publication, context).check()
    let notices = StepNotices(configuration, context)
    let root = try configuration.shippedRoot(orElse: "put the root.json that apps ship there")
    try deployment.publisher.beginEpoch(jobs, removed: removed, root: root, now: .now()) { job, report in
      // A lack of roots concerns the whole publication, so it is reported once, with the last dataset. By then
      // all datasets are published, so an error here must not fail the command.
      let lack = job.name == jobs.last?.name ? try? deployment.publication.lackOfRoots() : nil
      try context.console.report(
        report, of: job.name, [lack].compactMap { $0.map { "\($0)." } } + report.warnings)
      notices.start(after: report, of: job.name)
    }
    // The signed versions may now be above those claimed at the beginning, and mirrors may already have them.
    let published = try deployment.publication.published()
    try MirrorInheritance.claim(below: published.timestamp.version, in: configuration.state)
    context.console.note("All histories started over. Check them with 'seedbank verify'.")
  }
}

extension ParsedArguments {
  fileprivate func series(_ name: String) throws(Refusal) -> [SeedSeries] {
    try strings(name).map { text throws(Refusal) in
      guard let series = SeedSeries(roleName: text.replacing("/", with: "-")) else {
        throw unsuitable(name, text, "a series such as parks/1")
      }
      return series
    }
  }
}
