import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The files in the folder that an app ships: a publication reduced to one series and its newest snapshot.
struct BundleFolder: Hashable, Sendable {
  let directory: String

  /// The newest root, which the app can use as its trust anchor.
  static let rootName = "root.json"
  static let metadataName = "metadata"
  static let targetsName = "targets"

  var metadata: String { "\(directory)/\(Self.metadataName)" }

  func file(_ object: PublishedObject) -> String { "\(directory)/\(object.filePath)" }

  func metadataFile(_ name: String) -> String { "\(metadata)/\(name)" }

  var fetcher: MetadataFetcher {
    { [self] name, limit in try DurableFile.readIfPresent(metadataFile(name), limit: limit) }
  }
}

/// The seed in the app's bundle: verified metadata, and a snapshot that the metadata lists and the folder contains.
struct BundledSeed: Hashable, Sendable {
  let folder: BundleFolder
  let metadata: SeriesMetadata
  let snapshot: PublishedObject

  /// Verifies a bundle's metadata, starting from the app's root. Ignores expiry, because an app stays in an app store for
  /// months, and its first update replaces old data.
  init(_ folder: BundleFolder, series: SeedSeries, root: [UInt8]) async throws {
    self.folder = folder
    let nothing = StoredMetadata(read: { _ in nil }, persist: { _, _ in })
    metadata = try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: nothing, fetch: folder.fetcher, now: .distantPast)
    let snapshot = metadata.objects.filter { $0.isSnapshot && Folder.exists(folder.file($0)) }
      .max { $0.version < $1.version }
    guard let snapshot else {
      throw SeedError(.damaged, "\(folder.directory) contains none of the snapshots that its metadata lists")
    }
    self.snapshot = snapshot
  }

  /// Returns the snapshot's file in the bundle, after checking its length and hash.
  func verified() throws -> FetchedObject {
    let path = folder.file(snapshot)
    var hasher = SHA256Hasher()
    let length = try hasher.update(File(path, for: .reading))
    guard hasher.finish() == snapshot.sha256, length == snapshot.length else {
      throw SeedError(.damaged, "the length or SHA-256 of \(path) does not match the signed one")
    }
    return FetchedObject(object: snapshot, path: path, isBundled: true)
  }
}

extension StoreWriter {
  /// Reads the bundle and verifies its metadata. Checks that the snapshot exists, but does not read it.
  func bundle(_ folder: BundleFolder) async throws -> BundledSeed {
    try await BundledSeed(folder, series: model.series, root: root)
  }

  func prefers(_ bundle: BundledSeed, over meta: SeedMeta?) throws -> Bool {
    let (series, snapshot) = (bundle.metadata.state, bundle.snapshot)
    let choice = BundleChoice(
      epoch: series.epoch, version: snapshot.version, model: snapshot.model, models: series.models,
      isNewerThanTrusted: try isNewerThanTrusted(bundle),
      hasFailed: try !rejected().isDisjoint(with: [snapshot.sha256, snapshot.digest]))
    return choice.takesBundle(over: meta.map { ($0.epoch, $0.version) }, for: model)
  }

  /// Makes the bundled snapshot the current generation, in the same stages as a download. Returns its name.
  func install(_ bundle: BundledSeed, freeBytes: @Sendable (_ folder: String) -> Int?) async throws -> String
  {
    try [bundle.snapshot].checkSpace(
      held: bundle.snapshot.length, available: freeBytes(layout.directory), in: layout.directory)
    return try await replace(
      by: bundle.verified(), epoch: bundle.metadata.state.epoch, origin: .bundled,
      beforeSwap: { await trust(bundle) })
  }

  private func isNewerThanTrusted(_ bundle: BundledSeed) throws -> Bool {
    let name = MetadataName.unversioned(Timestamp.type)
    guard let trusted = try timestampVersion("\(layout.trust)/\(name)") else { return true }
    return try trusted < timestampVersion(bundle.folder.metadataFile(name)) ?? 0
  }

  /// Returns the version in a timestamp file, whose signatures were verified when it was stored.
  private func timestampVersion(_ file: String) throws -> Int? {
    let bytes = try DurableFile.readIfPresent(file, limit: Limits.metadataBytes)
    return bytes.flatMap { try? Metadata<Timestamp>(parsing: $0).signed.version }
  }

  /// Stores a bundle's metadata as trusted, unless the store already trusts newer metadata.
  private func trust(_ bundle: BundledSeed) async {
    _ = try? await MetadataRefresh.refresh(
      series: model.series, shippedRoot: root, stored: trusted, fetch: bundle.folder.fetcher,
      now: .distantPast)
  }
}

/// Chooses between a store's own data and the app's bundle. Pure.
///
///  1. A bundle that the app's model cannot open is ignored.
///  2. Without data that the app's model can open, the bundle is used, however old, because the next update replaces it.
///  3. Within one epoch, the higher version wins. If the versions are equal, the store's data wins.
///  4. Versions of different epochs cannot be compared. The bundle wins if its metadata is newer than the
///     trusted metadata.
///  5. A snapshot that failed on this device before is not tried again.
struct BundleChoice: Hashable, Sendable {
  let epoch: Epoch
  let version: SeedVersion
  let model: ModelVersion
  let models: [ModelVersion: SHA256Digest]
  let isNewerThanTrusted: Bool
  var hasFailed = false

  func takesBundle(over stored: (epoch: Epoch, version: SeedVersion)?, for app: SeedModel) -> Bool {
    guard model.opens(for: app.version), let signed = models[app.version], app.accepts(signed), !hasFailed
    else { return false }
    guard let stored else { return true }
    return stored.epoch == epoch ? version > stored.version : isNewerThanTrusted
  }
}
