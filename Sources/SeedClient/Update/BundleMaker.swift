import SeedFormat
import SeedSystem
package import SeedTrust

package import struct Foundation.URL

/// Makes the folder that an app ships: root, metadata and the newest snapshot, copied unchanged from the publication.
package struct BundleMaker: Sendable {
  private let model: SeedModel
  private let root: [UInt8]
  private let place: BundleFolder
  /// A temporary folder beside the final one, because a rename must stay on one volume.
  private let draft: String
  private let scratch: StoreLayout
  private let fetcher: Fetcher

  package init(
    _ model: SeedModel, server: URL, root: [UInt8], directory: String, options: SeedOptions = SeedOptions(),
    environment: Environment? = nil
  ) throws(SeedError) {
    (self.model, self.root, place) = (model, root, BundleFolder(directory: directory))
    draft = directory + DurableFile.temporarySuffix
    scratch = StoreLayout(directory: "\(draft)/scratch")
    let environment = environment ?? .device(model, options)
    var fetcher = Fetcher(try ServerAddress(server), environment, scratch, options, mode: 0o644)
    fetcher.context = UpdateContext(phases: PhaseSender(uptime: environment.uptime, options.onPhase))
    self.fetcher = fetcher
  }

  private static let lockName = "LOCK"

  /// Downloads the bundle, verifies it as an app would, and moves it into place in one step.
  package func make() async throws(SeedError) -> BundleReport {
    do {
      try checkPlace()
      try Folder.create(draft)
      guard let lock = try FileLock.exclusive("\(draft)/\(Self.lockName)") else {
        throw SeedError(
          .storeLocked, "another process is making a bundle in \(place.directory): try again later")
      }
      // If this fails, the next `make()` removes the leftovers.
      defer { withExtendedLifetime(lock) { try? Folder.removeAll(draft) } }
      for name in try Folder.names(in: draft) where name != Self.lockName {
        try Folder.removeAny("\(draft)/\(name)")
      }
      try scratch.create()
      return try await fill(BundleFolder(directory: "\(draft)/bundle"))
    } catch let error as TrustError {
      throw SeedError(error, of: model.series, at: fetcher.server)
    } catch { throw SeedError(error) }
  }

  private func fill(_ bundle: BundleFolder) async throws -> BundleReport {
    let (metadata, files) = try await fetchMetadata()
    // The plan of a device without data; throws if there is no usable snapshot.
    let snapshot = try UpdatePlanner(metadata, nil, model).plan().objects[0]
    guard snapshot.model.opens(for: model.version) else { throw tooOld(snapshot) }
    try await fetcher.partial.makeRoom(
      for: [snapshot], in: scratch.directory, freeBytes: fetcher.environment.freeBytes)
    fetcher.context.phases.enter(.downloading(bytes: 0, totalBytes: snapshot.length))
    let fetched = try await Download(snapshot, for: fetcher).run()
    try Folder.create(bundle.metadata)
    for (name, bytes) in files { try DurableFile.write(bytes, to: "\(bundle.directory)/\(name)") }
    try Folder.create(Folder.parent(of: bundle.file(snapshot)))
    try Folder.rename(fetched.path, to: bundle.file(snapshot))
    try await prove(bundle)
    try moveIntoPlace(bundle.directory)
    return BundleReport(
      directory: place.directory, snapshot: snapshot,
      metadataBytes: files.values.reduce(0) { $0 + $1.count }, lifecycle: metadata.state.lifecycle)
  }

  /// Returns the verified metadata, and its files (with the newest root) by their path in the bundle.
  private func fetchMetadata() async throws -> (SeriesMetadata, [String: [UInt8]]) {
    let files = Mutex([BundleFolder.rootName: root])
    // Reads only the timestamp of an earlier bundle in that folder, to reject a server with an older timestamp.
    let earlier = StoredMetadata(
      read: { [place] name in
        guard name == MetadataName.unversioned(Timestamp.type) else { return nil }
        return try DurableFile.readIfPresent(place.metadataFile(name), limit: Limits.metadataBytes)
      },
      persist: { name, bytes in
        if name == BundleFolder.rootName { files.withLock { $0[name] = bytes } }
      })
    let metadata = try await MetadataRefresh.refresh(
      series: model.series, shippedRoot: root, stored: earlier,
      fetch: { [fetcher] name, limit in
        let bytes = try await fetcher.metadata(name, limit: limit)
        files.withLock { $0["\(BundleFolder.metadataName)/\(name)"] = bytes }
        return bytes
      }, now: fetcher.environment.now())
    return (metadata, files.withLock { $0 })
  }

  /// The error for a snapshot that reaches the app's minor only through deltas, which a bundle does not contain.
  private func tooOld(_ snapshot: PublishedObject) -> SeedError {
    SeedError(
      .versionGone,
      "the newest snapshot of \(model.series) is of model \(snapshot.model), older than the app's model "
        + "\(model.version): the publisher must publish a snapshot (`seedbank regenerate --snapshot`)")
  }

  /// Expands and verifies the finished bundle, as an app does at its first start.
  private func prove(_ bundle: BundleFolder) async throws {
    let bundled = try await BundledSeed(bundle, series: model.series, root: root)
    _ = try StagedSeed(
      bundled.verified(), epoch: bundled.metadata.state.epoch, provingRows: true, in: scratch)
  }

  // MARK: The place

  /// Throws unless the folder is missing, empty, or a bundle of the same series.
  private func checkPlace() throws {
    let directory = place.directory
    guard Folder.exists(directory), try !Folder.names(in: directory).isEmpty, try !isBundle() else { return }
    throw SeedError(
      .io,
      "\(directory) is not empty and not a bundle of \(model.series): choose a new folder, or empty this one")
  }

  private func isBundle() throws -> Bool {
    let own: Set = [BundleFolder.rootName, BundleFolder.metadataName, BundleFolder.targetsName]
    guard Folder.isFolder(place.directory), try own.isSuperset(of: Folder.names(in: place.directory)) else {
      return false
    }
    return try Folder.names(in: place.metadata).contains { $0.hasSuffix(".\(model.series.roleName).json") }
  }

  /// Syncs and moves a bundle into place. A kill between the renames leaves the folder missing, not partial.
  private func moveIntoPlace(_ finished: String) throws {
    try syncAll(finished)
    let former = "\(draft)/former"
    if Folder.exists(place.directory) { try Folder.rename(place.directory, to: former) }
    do { try Folder.rename(finished, to: place.directory) } catch {
      try? Folder.rename(former, to: place.directory)
      throw error
    }
    try Folder.sync(Folder.parent(of: place.directory))
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
  package let lifecycle: SeedLifecycle

  package var bytes: Int { snapshot.length + metadataBytes }
}
