import SeedFormat
import SeedSystem
package import SeedTrust

package import struct Foundation.URL

/// Makes the folder that an app ships: root, metadata and the newest snapshot, copied unchanged from the publication.
package struct BundleMaker: Sendable {
  private let model: SeedModel
  private let root: [UInt8]
  private let place: BundlePlace
  private let scratch: StoreLayout
  private let fetcher: Fetcher

  package init(
    _ model: SeedModel, server: URL, root: [UInt8], directory: String, options: SeedOptions = SeedOptions(),
    environment: Environment? = nil
  ) throws(SeedError) {
    self.model = model
    self.root = root
    let environment = environment ?? .device(model, options)
    place = BundlePlace(directory: directory, series: model.series)
    scratch = StoreLayout(directory: "\(place.draft)/scratch")
    var fetcher = Fetcher(try ServerAddress(server), environment, scratch, options, mode: 0o644)
    fetcher.context = UpdateContext(phases: PhaseSender(uptime: environment.uptime, options.onPhase))
    self.fetcher = fetcher
  }

  /// Downloads the bundle, verifies it as an app would, and moves it into place in one step.
  package func make() async throws(SeedError) -> BundleReport {
    do {
      try place.check()
      let draft = try BundleDraft(place)
      defer { withExtendedLifetime(draft) {} }
      try scratch.create()
      return try await fill(BundleFolder(directory: "\(place.draft)/bundle"))
    } catch let error as TrustError {
      throw SeedError(error, of: model.series, at: fetcher.server)
    } catch { throw SeedError(error) }
  }

  private func fill(_ draft: BundleFolder) async throws -> BundleReport {
    let recorded = Mutex<[String: [UInt8]]>([:])
    let metadata = try await MetadataRefresh.refresh(
      series: model.series, shippedRoot: root, stored: previous,
      fetch: { name, limit in
        let bytes = try await fetcher.metadata(name, limit: limit)
        recorded.withLock { $0[name] = bytes }
        return bytes
      }, now: fetcher.environment.now())
    let files = recorded.withLock { $0 }
    // The plan of a device without data; throws if there is no usable snapshot.
    let snapshot = try UpdatePlanner(metadata, nil, model).plan().objects[0]
    guard snapshot.model.opens(for: model.version) else { throw tooOld(snapshot) }
    try await fetcher.partial.makeRoom(
      for: [snapshot], in: scratch.directory, freeBytes: fetcher.environment.freeBytes)
    fetcher.context.phases.enter(.downloading(bytes: 0, totalBytes: snapshot.length))
    let fetched = try await Download(snapshot, for: fetcher).run()
    let newestRoot = newestRoot(files)
    try Folder.create(draft.metadata)
    for (name, bytes) in files { try DurableFile.write(bytes, to: draft.metadataFile(name)) }
    try DurableFile.write(newestRoot, to: draft.root)
    try Folder.create(Folder.parent(of: draft.file(snapshot)))
    try Folder.rename(fetched.path, to: draft.file(snapshot))
    try await prove(draft)
    try place.take(draft.directory)
    return BundleReport(
      directory: place.directory, snapshot: snapshot,
      metadataBytes: files.values.reduce(newestRoot.count) { $0 + $1.count },
      lifecycle: metadata.state.lifecycle)
  }

  /// Only deltas lead from it to the app's minor, and a bundle has none.
  private func tooOld(_ snapshot: PublishedObject) -> SeedError {
    SeedError(
      .versionGone,
      "the newest snapshot of \(model.series) is of model \(snapshot.model), older than the app's model "
        + "\(model.version): the publisher must publish a snapshot (`seedbank regenerate --snapshot`)")
  }

  /// The timestamp of an earlier bundle in that folder; it rejects a server with an older one.
  private var previous: StoredMetadata {
    let timestamp = MetadataName.unversioned(Timestamp.type)
    let layout = BundleFolder(directory: place.directory)
    return StoredMetadata(
      read: { name in
        guard name == timestamp else { return nil }
        return try DurableFile.readIfPresent(layout.metadataFile(name), limit: Limits.metadataBytes)
      },
      persist: { _, _ in })
  }

  private func newestRoot(_ files: [String: [UInt8]]) -> [UInt8] {
    let versions = files.keys.compactMap { name in
      name.hasSuffix(".root.json") ? Int(name.prefix { $0 != "." }) : nil
    }
    return versions.max().flatMap { files[MetadataName.versioned(Root.type, $0)] } ?? root
  }

  /// Stages the finished bundle as an app would at its first start.
  private func prove(_ draft: BundleFolder) async throws {
    let bundled = try await BundledSeed(draft, series: model.series, root: root)
    _ = try StagedSeed(
      bundled.verified(), epoch: bundled.metadata.state.epoch, provingRows: true, in: scratch)
  }
}

/// The temporary folder of one maker; removed with this value.
private final class BundleDraft {
  private let path: String
  private let lock: FileLock

  private static let lockName = "LOCK"

  init(_ place: BundlePlace) throws {
    path = place.draft
    try Folder.create(path)
    guard let lock = try FileLock.exclusive("\(path)/\(Self.lockName)") else {
      throw SeedError(
        .storeLocked, "another process is making a bundle in \(place.directory): try again later")
    }
    for name in try Folder.names(in: path) where name != Self.lockName {
      try Folder.removeAny("\(path)/\(name)")
    }
    // Set last, because `deinit` does not run if this fails: the folder may belong to another maker.
    self.lock = lock
  }

  // The next maker removes leftovers.
  deinit { try? Folder.removeAll(path) }
}

private struct BundlePlace {
  let directory: String
  let series: SeedSeries

  /// A sibling of the folder, because a rename must stay on one volume.
  var draft: String { directory + DurableFile.temporarySuffix }

  private var former: String { "\(draft)/former" }

  private static let ownNames: Set<String> = [
    BundleFolder.rootName, BundleFolder.metadataName, BundleFolder.targetsName,
  ]

  /// Throws unless the folder is missing, empty, or a bundle of the same series.
  func check() throws {
    guard Folder.exists(directory), try !Folder.names(in: directory).isEmpty else { return }
    guard try isBundle() else {
      throw SeedError(
        .io, "\(directory) is not empty and has no bundle of \(series): name a new folder, or empty this one")
    }
  }

  /// Moves a finished, synced bundle into place. A kill between the two renames leaves no bundle, never a partial one.
  func take(_ finished: String) throws {
    try syncAll(finished)
    if Folder.exists(directory) { try Folder.rename(directory, to: former) }
    try Folder.rename(finished, to: directory)
    try Folder.sync(Folder.parent(of: directory))
  }

  private func isBundle() throws -> Bool {
    guard Folder.isFolder(directory), Set(try Folder.names(in: directory)).isSubset(of: Self.ownNames) else {
      return false
    }
    let role = ".\(series.roleName).json"
    return try Folder.names(in: BundleFolder(directory: directory).metadata).contains { $0.hasSuffix(role) }
  }

  private func syncAll(_ path: String) throws {
    for name in try Folder.names(in: path) {
      let inner = "\(path)/\(name)"
      if Folder.isFolder(inner) { try syncAll(inner) } else { try Folder.sync(inner) }
    }
    try Folder.sync(path)
  }
}

package struct BundleReport: Hashable, Sendable {
  package let directory: String
  package let snapshot: PublishedObject
  package let metadataBytes: Int
  /// Whether the series is active, deprecated or retired.
  package let lifecycle: SeedLifecycle

  package var bytes: Int { snapshot.length + metadataBytes }
}
