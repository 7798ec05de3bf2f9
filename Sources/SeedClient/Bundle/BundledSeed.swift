import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// What the app brought along, as far as its metadata tells: signed, and one snapshot of it in the folder.
struct BundledSeed: Hashable, Sendable {
  let layout: BundleLayout
  let metadata: SeriesMetadata
  let snapshot: PublishedObject

  /// Reads a bundle's metadata by the whole chain from the app's root on.
  ///
  /// Expiry does not count: an app lies in a store for months, and what it brings is the oldest that anyone takes.
  init(_ layout: BundleLayout, series: Series, root: [UInt8]) async throws {
    let nothing = StoredMetadata(read: { _ in nil }, persist: { _, _ in })
    let metadata = try await MetadataRefresh.refresh(
      series: series, shippedRoot: root, stored: nothing, fetch: layout.fetcher, now: .distantPast)
    guard let snapshot = Self.snapshot(of: metadata, in: layout) else {
      throw SeedError(.damaged, "no snapshot that the bundle's metadata names lies in \(layout.directory)")
    }
    self.init(layout: layout, metadata: metadata, snapshot: snapshot)
  }

  init(layout: BundleLayout, metadata: SeriesMetadata, snapshot: PublishedObject) {
    (self.layout, self.metadata, self.snapshot) = (layout, metadata, snapshot)
  }

  private static func snapshot(of metadata: SeriesMetadata, in layout: BundleLayout) -> PublishedObject? {
    metadata.objects.filter { $0.isSnapshot && Folder.exists(layout.file($0)) }
      .max { $0.version < $1.version }
  }

  /// The snapshot, once its length and hash are those that were signed. It stays where it is.
  func verified() throws -> FetchedObject {
    let path = layout.file(snapshot)
    let found = try SHA256Digest.ofFile(at: path)
    guard found.digest == snapshot.sha256, found.length == snapshot.length else {
      throw SeedError(.damaged, "\(path) is not the file that was signed")
    }
    return FetchedObject(object: snapshot, path: path, isBorrowed: true)
  }
}
