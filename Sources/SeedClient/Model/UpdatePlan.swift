public import SeedFormat

/// What an update would do, or did: decided from signed metadata and what is on the device.
public struct UpdatePlan: Hashable, Sendable {
  /// Why this and nothing else.
  public enum Reason: String, Hashable, Sendable {
    /// The data is the newest.
    case upToDate
    /// There is no data on the device.
    case firstDownload
    /// The publisher began its history anew.
    case newEpoch
    /// The newest data has another schema, which deltas do not lead to.
    case newSchema
    /// The rows on the device are not those that were published as their version.
    case otherRows
    /// The deltas have no more bytes than the newest snapshot.
    case deltasAreSmaller
    /// The newest snapshot has fewer bytes than the deltas.
    case snapshotIsSmaller
    /// No snapshot leads to the newest version.
    case onlyDeltas
    /// No deltas lead to the newest version.
    case onlySnapshot
    /// Deltas did not lead to the published rows, so a snapshot takes the place of the data.
    case deltasFailed
  }

  /// What is to be done.
  public let action: UpdateReport.Action
  /// Why.
  public let reason: Reason
  /// The version on the device, if there is one.
  public let from: Version?
  /// The version to come.
  public let to: Version
  /// The files to download, in the order of their use: `snapshot-102.sqlite.gz`, `delta-102-103.json.gz`.
  public let files: [String]
  /// Bytes to download, if nothing of them is here already.
  public let bytes: Int
  /// Bytes of the chain of deltas that leads to the newest version, if there is one and it was weighed.
  public let deltaBytes: Int?
  /// Bytes of the newest snapshot and the deltas that lead on from it, if there is one and it was weighed.
  public let snapshotBytes: Int?
}
