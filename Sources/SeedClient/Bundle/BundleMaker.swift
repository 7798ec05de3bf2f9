import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

package import struct Foundation.URL

/// Makes the folder that an app ships: root, metadata and the newest snapshot, as they were published.
package struct BundleMaker: Sendable {
  private let model: SeedModel
  private let root: [UInt8]
  private let place: BundlePlace
  private let scratch: StoreLayout
  private let fetcher: Fetcher
  private let surroundings: Surroundings

  /// A maker that will put its bundle into `directory`.
  package init(
    _ model: SeedModel, server: URL, root: [UInt8], directory: String, options: SeedOptions = SeedOptions(),
    surroundings: Surroundings? = nil
  ) throws(SeedError) {
    self.model = model
    self.root = root
    let surroundings = surroundings ?? .device(model, options)
    self.surroundings = surroundings
    place = BundlePlace(directory: directory, series: model.series)
    scratch = StoreLayout(directory: "\(place.draft)/scratch")
    let phases = PhaseSender(uptime: surroundings.uptime, options.onPhase)
    fetcher = Fetcher(try ServerAddress(server), surroundings, scratch, options).on(Errand(phases: phases))
  }

  /// Downloads, verifies by the way that an app will, and puts the bundle into its place in one step.
  package func make() async throws(SeedError) -> BundleReport {
    do {
      try place.check()
      let draft = try BundleDraft(place)
      defer { withExtendedLifetime(draft) {} }
      try scratch.create()
      return try await making(BundleLayout(directory: "\(place.draft)/bundle"))
    } catch {
      throw SeedError(error)
    }
  }

  private func making(_ draft: BundleLayout) async throws -> BundleReport {
    let recorder = Recorder(fetcher)
    let metadata = try await fetcher.refreshed(
      model.series, root: root, stored: previous, fetch: recorder.fetch)
    let snapshot = try snapshot(metadata)
    let plan = DiskPlan([snapshot], held: 0)
    try await fetcher.partial.check(plan, in: scratch.directory, surroundings)
    fetcher.errand.phases.enter(.downloading(bytes: 0, totalBytes: snapshot.length))
    let fetched = try await fetcher.object(snapshot)
    try write(recorder.files, draft)
    try Folder.create(Folder.parent(of: draft.file(snapshot)))
    try Folder.rename(fetched.path, to: draft.file(snapshot))
    try await prove(draft)
    try place.take(draft.directory)
    return report(metadata, snapshot, recorder.files)
  }

  /// The snapshot that a device without data would take.
  private func snapshot(_ metadata: SeriesMetadata) throws(SeedError) -> PublishedObject {
    switch Decision.make(metadata, nil, model) {
    case .download(let snapshot, _, _): return snapshot
    case .refuse(let refusal): throw SeedError(refusal)
    case .upToDate, .apply: throw SeedError(.versionGone, "no snapshot of \(model.series) is published")
    }
  }

  /// The timestamp of the bundle that stands in the place: a server must not lead behind it.
  private var previous: StoredMetadata {
    let timestamp = MetadataName.unversioned(Timestamp.type)
    let layout = BundleLayout(directory: place.directory)
    return StoredMetadata(
      read: { name in
        guard name == timestamp else { return nil }
        return try DurableFile.readIfPresent(layout.metadataFile(name), limit: Limits.metadataBytes)
      },
      persist: { _, _ in })
  }

  private func write(_ files: [String: [UInt8]], _ draft: BundleLayout) throws {
    try Folder.create(draft.metadata)
    for (name, bytes) in files { try DurableFile.write(bytes, to: draft.metadataFile(name)) }
    try DurableFile.write(newestRoot(files), to: draft.root)
  }

  private func newestRoot(_ files: [String: [UInt8]]) -> [UInt8] {
    let versions = files.keys.compactMap { name in
      name.hasSuffix(".root.json") ? Int(name.prefix { $0 != "." }) : nil
    }
    return versions.max().flatMap { files[MetadataName.versioned(Root.type, $0)] } ?? root
  }

  /// Takes the finished bundle in as an app would at its first start.
  private func prove(_ draft: BundleLayout) async throws {
    let bundled = try await BundledSeed(draft, series: model.series, root: root)
    _ = try StagedSeed(bundled.verified(), epoch: bundled.metadata.state.epoch, in: scratch)
  }

  private func report(
    _ metadata: SeriesMetadata, _ snapshot: PublishedObject, _ files: [String: [UInt8]]
  ) -> BundleReport {
    BundleReport(
      directory: place.directory, series: model.series, version: snapshot.version, model: snapshot.model,
      snapshot: snapshot.filePath, snapshotBytes: snapshot.length, expandedBytes: snapshot.rawLength,
      metadataBytes: files.values.reduce(newestRoot(files).count) { $0 + $1.count },
      lifecycle: metadata.state.lifecycle)
  }
}

/// Keeps what a refresh fetches, verbatim and by the repository's names.
private final class Recorder: Sendable {
  private let fetcher: Fetcher
  private let recorded = Mutex<[String: [UInt8]]>([:])

  init(_ fetcher: Fetcher) { self.fetcher = fetcher }

  var files: [String: [UInt8]] { recorded.withLock { $0 } }

  var fetch: MetadataFetcher {
    { [self] name, limit in
      let bytes = try await fetcher.metadata(name, limit: limit)
      recorded.withLock { $0[name] = bytes }
      return bytes
    }
  }
}
