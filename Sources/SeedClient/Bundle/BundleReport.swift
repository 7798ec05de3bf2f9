package import SeedFormat
package import SeedTrust

/// What an app ships, and how large it is.
package struct BundleReport: Hashable, Sendable {
  /// The folder.
  package let directory: String
  package let series: Series
  package let version: Version
  package let model: ModelVersion
  /// The snapshot's file within the folder.
  package let snapshot: String
  /// Bytes of the snapshot as it is shipped.
  package let snapshotBytes: Int
  /// Bytes that it has on a device once it was expanded.
  package let expandedBytes: Int
  /// Bytes of the root and all metadata.
  package let metadataBytes: Int

  /// How long the series will go on.
  package let lifecycle: Lifecycle

  /// Bytes that the folder adds to an app.
  package var bytes: Int { snapshotBytes + metadataBytes }
}
