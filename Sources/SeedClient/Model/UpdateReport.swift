import SeedFormat
public import SeedTrust

/// The way an update takes, or took: decided from signed metadata and the data on the device.
public struct UpdatePlan: Hashable, Sendable {
  /// Why this way was chosen.
  public enum Reason: String, Hashable, Sendable {
    /// The data is the newest.
    case upToDate
    /// There is no data on the device, or what there is turned out to be damaged.
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
    /// Deltas did not lead to the published rows, so a snapshot replaces the data.
    case deltasFailed
  }

  /// Why.
  public let reason: Reason
  /// The version on the device, if there is one.
  public let from: Version?
  /// The version to come.
  public let to: Version
  /// Bytes of the deltas that lead to the newest version, if there are any and they were compared.
  public let deltaBytes: Int?
  /// Bytes of the newest snapshot and the deltas after it, if there is one and it was compared.
  public let snapshotBytes: Int?
  /// The objects to download, in the order of their use; a snapshot comes first.
  let objects: [PublishedObject]

  /// A way that was chosen.
  package init(
    reason: Reason, from: Version?, to: Version, deltaBytes: Int?, snapshotBytes: Int?,
    objects: [PublishedObject]
  ) {
    (self.reason, self.from, self.to, self.objects) = (reason, from, to, objects)
    (self.deltaBytes, self.snapshotBytes) = (deltaBytes, snapshotBytes)
  }

  /// What is to be done.
  public var action: UpdateReport.Action {
    objects.first.map { $0.isSnapshot ? .replaced : .applied } ?? .upToDate
  }

  /// The files to download, in the order of their use: `snapshot-102.sqlite.gz`, `delta-102-103.json.gz`.
  public var files: [String] { objects.map(\.fileName) }

  /// Bytes of these files; what an earlier download left of them is not downloaded again.
  public var bytes: Int { objects.bytes }
}

extension [PublishedObject] { var bytes: Int { reduce(0) { $0 + $1.length } } }

extension PublishedObject {
  var isSnapshot: Bool { if case .snapshot = kind { true } else { false } }
}

/// The outcome of one update.
public struct UpdateReport: Sendable, CustomStringConvertible {
  /// What an update does to the data.
  public enum Action: String, Hashable, Sendable {
    /// Nothing: the data is the newest.
    case upToDate
    /// Deltas changed rows in the file that was there.
    case applied
    /// A snapshot came as a new file.
    case replaced
  }

  /// The way that was taken, and why; the last one where an earlier one failed.
  public let plan: UpdatePlan
  /// The version before, if there was one.
  public let from: Version?
  /// The data as it is now.
  public let seed: Seed
  /// Bytes of the snapshot and deltas that were used, each counted once.
  public let bytes: Int
  /// What went over the network, metadata and repeated requests included.
  public let traffic: UpdateTraffic
  /// Rows that deltas changed, by table. A new file may differ anywhere: then there are none.
  public let rows: [String: SeedChanges.Table]
  /// How long the series will go on: an app may tell its users to update it in time.
  public let lifecycle: Lifecycle
  /// How long it took, without the time in which the device slept.
  public let duration: Duration

  /// What an update did.
  package init(
    plan: UpdatePlan, from: Version?, seed: Seed, bytes: Int, traffic: UpdateTraffic,
    rows: [String: SeedChanges.Table], lifecycle: Lifecycle, duration: Duration
  ) {
    (self.plan, self.from, self.seed, self.bytes) = (plan, from, seed, bytes)
    (self.traffic, self.rows, self.lifecycle, self.duration) = (traffic, rows, lifecycle, duration)
  }

  /// What was done to the data.
  public var action: Action { plan.action }

  /// The version now.
  public var to: Version { seed.version }

  /// One line: the version, the way there, and what it cost.
  public var description: String {
    let files = plan.files.joined(separator: ", ")
    let way = action == .upToDate ? "is the newest" : "came by \(files) (\(plan.reason.rawValue))"
    return
      "version \(to) \(way): \(traffic.requests) requests, \(ByteCount(bytes: traffic.bytes)), \(duration)"
  }
}

/// What an update cost on the network.
public struct UpdateTraffic: Hashable, Sendable {
  /// Requests that were sent; redirects do not count.
  public package(set) var requests = 0
  /// Bytes of answers' bodies.
  public package(set) var bytes = 0
  /// Requests that were sent again because an earlier one failed.
  public package(set) var retries = 0
  /// Files that were begun anew because the server had something else than before.
  public package(set) var restarts = 0

  /// Nothing was sent yet.
  package init() {}
}
