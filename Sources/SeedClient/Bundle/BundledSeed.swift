import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The files in the folder that an app ships: a publication, cut down to one series and its newest snapshot.
struct BundleFolder: Hashable, Sendable {
  let directory: String

  /// The newest root; an app can begin its trust with it.
  static let rootName = "root.json"
  static let metadataName = "metadata"
  static let targetsName = "targets"

  var root: String { "\(directory)/\(Self.rootName)" }
  var metadata: String { "\(directory)/\(Self.metadataName)" }

  func file(_ object: PublishedObject) -> String { "\(directory)/\(object.filePath)" }

  func metadataFile(_ name: String) -> String { "\(metadata)/\(name)" }

  var fetcher: MetadataFetcher {
    { [self] name, limit in try DurableFile.readIfPresent(metadataFile(name), limit: limit) }
  }
}

/// The seed that an app brought along: its verified metadata, and a snapshot that this names and that is in the folder.
struct BundledSeed: Hashable, Sendable {
  let folder: BundleFolder
  let metadata: SeriesMetadata
  let snapshot: PublishedObject

  /// Verifies a bundle's metadata by the whole chain from the app's root on. Expiry does not count: an app lies in a
  /// store for months, and anyone may have the data of its bundle.
  init(_ folder: BundleFolder, series: Series, root: [UInt8]) async throws {
    self.folder = folder
    let nothing = StoredMetadata(read: { _ in nil }, persist: { _, _ in })
    metadata = try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: nothing, fetch: folder.fetcher, now: .distantPast)
    let snapshot = metadata.objects.filter { $0.isSnapshot && Folder.exists(folder.file($0)) }
      .max { $0.version < $1.version }
    guard let snapshot else {
      throw SeedError(.damaged, "none of the snapshots in the bundle's metadata is in \(folder.directory)")
    }
    self.snapshot = snapshot
  }

  /// The snapshot, once its length and hash are those that were signed. It stays where it is.
  func verified() throws -> FetchedObject {
    let path = folder.file(snapshot)
    let found = try SHA256Digest.ofFile(at: path)
    guard found.digest == snapshot.sha256, found.length == snapshot.length else {
      throw SeedError(.damaged, "the length or SHA-256 of \(path) does not match the signed one")
    }
    return FetchedObject(object: snapshot, path: path, isBundled: true)
  }
}

extension StoreWriter {
  /// Reads and verifies the bundle that the app brought along; of its snapshot, only that it is there.
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

  /// Makes the bundled snapshot the current generation, by the same stages as a download; returns its name.
  func install(_ bundle: BundledSeed, freeBytes: @Sendable (_ folder: String) -> Int?) async throws -> String
  {
    let plan = DiskPlan([bundle.snapshot], held: bundle.snapshot.length)
    try plan.check(available: freeBytes(layout.directory), in: layout.directory)
    return try await replace(
      by: bundle.verified(), epoch: bundle.metadata.state.epoch, origin: .bundled,
      beforeSwap: { await trust(bundle) })
  }

  private func isNewerThanTrusted(_ bundle: BundledSeed) throws -> Bool {
    let name = MetadataName.unversioned(Timestamp.type)
    guard let trusted = try timestampVersion("\(layout.trust)/\(name)") else { return true }
    return try trusted < timestampVersion(bundle.folder.metadataFile(name)) ?? 0
  }

  /// The version in a timestamp file, whose signatures were verified when it was trusted.
  private func timestampVersion(_ file: String) throws -> Int? {
    let bytes = try DurableFile.readIfPresent(file, limit: Limits.metadataBytes)
    return bytes.flatMap { try? Metadata<Timestamp>(parsing: $0).signed.version }
  }

  /// Trusts a bundle's metadata from here on, unless the store already trusts newer metadata.
  private func trust(_ bundle: BundledSeed) async {
    _ = try? await MetadataRefresh.refresh(
      series: model.series, shippedRoot: root, stored: trusted, fetch: bundle.folder.fetcher,
      now: .distantPast)
  }
}

/// Chooses the data that a store starts with: its own, or the bundle that the app brought along. Pure.
///
///  1. A bundle that the app's model cannot open is not taken.
///  2. Without data that the app's model can open, the bundle is taken, however old it is: the next update replaces
///     it.
///  3. In one epoch the higher version wins, and of two equal ones the store's own.
///  4. Versions of two epochs cannot be compared. The bundle's epoch is the newer one if its metadata is newer than
///     the newest that this device has trusted.
///  5. A snapshot that failed here before is not tried again.
struct BundleChoice: Hashable, Sendable {
  let epoch: Epoch
  let version: Version
  let model: ModelVersion
  /// The schema hashes of the minors for which it opens.
  let models: [ModelVersion: SHA256Digest]
  let isNewerThanTrusted: Bool
  var hasFailed = false

  func takesBundle(over stored: (epoch: Epoch, version: Version)?, for app: SeedModel) -> Bool {
    guard model.opens(for: app.model), let signed = models[app.model], app.pin.admits(signed), !hasFailed
    else { return false }
    guard let stored else { return true }
    return stored.epoch == epoch ? version > stored.version : isNewerThanTrusted
  }
}
