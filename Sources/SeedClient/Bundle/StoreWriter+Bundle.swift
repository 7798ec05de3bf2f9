import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

extension StoreWriter {
  /// What the app brought along, read and verified as far as its metadata goes.
  func bundle(_ layout: BundleLayout) async throws -> BundledSeed {
    try await BundledSeed(layout, series: model.series, root: root)
  }

  /// Whether a bundle's metadata is newer than what this store trusts.
  func isNews(_ bundle: BundledSeed) throws -> Bool {
    let name = MetadataName.unversioned(Timestamp.type)
    guard let trusted = try timestampVersion("\(layout.trust)/\(name)") else { return true }
    return try trusted < timestampVersion(bundle.layout.metadataFile(name)) ?? 0
  }

  /// Whether a snapshot, or the rows that it holds, failed on this device before.
  func hasFailed(_ snapshot: PublishedObject) throws -> Bool {
    let rejected = try rejected()
    return rejected.contains(snapshot.sha256) || rejected.contains(snapshot.digest)
  }

  /// The version that a timestamp file says it has; its signatures were verified when it was trusted.
  private func timestampVersion(_ file: String) throws -> Int? {
    let bytes = try DurableFile.readIfPresent(file, limit: Limits.metadataBytes)
    let metadata = bytes.flatMap { try? Metadata<Timestamp>(parsing: $0) }
    return metadata?.signed.version
  }

  /// Makes the bundled snapshot ready beside what is there, by the stages that a download goes through.
  func stage(_ bundle: BundledSeed) async throws {
    try await stage(bundle.verified(), epoch: bundle.metadata.state.epoch, origin: .bundled)
  }

  /// Trusts a bundle's metadata from here on, where that takes nothing back: what the store trusts already is the
  /// measure, as it is for a server's.
  func trust(_ bundle: BundledSeed) async {
    _ = try? await MetadataRefresh.refresh(
      series: model.series, shippedRoot: root, stored: trusted, fetch: bundle.layout.fetcher,
      now: .distantPast)
  }
}
