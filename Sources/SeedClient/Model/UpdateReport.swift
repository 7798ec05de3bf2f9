import SeedFormat
public import SeedTrust

/// An update's steps, derived from signed metadata and the data on the device.
public struct UpdatePlan: Hashable, Sendable {
  /// The reason for the choice of files.
  public enum Reason: String, Hashable, Sendable {
    case upToDate
    /// The device has no data, or its data is damaged.
    case firstDownload
    /// The publisher started a new epoch.
    case newEpoch
    /// The newest data has a new schema, which deltas cannot reach.
    case newSchema
    /// The rows on the device differ from those published as the same version.
    case otherRows
    /// The deltas are not larger than the newest snapshot.
    case deltasAreSmaller
    case snapshotIsSmaller
    /// No snapshot leads to the newest version.
    case onlyDeltas
    /// No deltas lead to the newest version.
    case onlySnapshot
    /// The deltas did not yield the published rows, so a snapshot replaces the data.
    case deltasFailed
    /// The WAL is more than twice as long as the file, because a reader keeps a transaction open. A new file, which
    /// starts with an empty WAL, replaces both.
    case logHeld
  }

  /// The reason for the choice.
  public let reason: Reason
  /// The version on the device, if there is one.
  public let from: SeedVersion?
  /// The version after the update.
  public let to: SeedVersion
  /// Total bytes of the deltas to the newest version; `nil` if there are none or if the choice did not depend on them.
  public let deltaBytes: Int?
  /// Total bytes of the newest snapshot and the deltas after it; `nil` in the same cases as ``deltaBytes``.
  public let snapshotBytes: Int?
  /// The objects to download, in order of use; a snapshot is first.
  let objects: [PublishedObject]

  package init(
    reason: Reason, from: SeedVersion?, to: SeedVersion, deltaBytes: Int?, snapshotBytes: Int?,
    objects: [PublishedObject]
  ) {
    (self.reason, self.from, self.to, self.objects) = (reason, from, to, objects)
    (self.deltaBytes, self.snapshotBytes) = (deltaBytes, snapshotBytes)
  }

  /// The effect on the data.
  public var action: UpdateReport.Action {
    objects.first.map { $0.isSnapshot ? .replaced : .applied } ?? .upToDate
  }

  /// The files to download, in order of use: `snapshot-102.sqlite.gz`, `delta-102-103.json.gz`.
  public var files: [String] { objects.map(\.fileName) }

  /// Total bytes of ``files``, including parts that an earlier update has already downloaded.
  public var bytes: Int { objects.bytes }

  func check(_ policy: UpdatePolicy) throws(SeedError) {
    guard let most = policy.maximumBytes, bytes > most else { return }
    throw SeedError(
      .tooLarge,
      "the update would download \(ByteCount(bytes: bytes)), but its policy allows only \(ByteCount(bytes: most)): wait "
        + "for a better network, or allow more", neededBytes: bytes, availableBytes: most)
  }
}

extension [PublishedObject] { var bytes: Int { reduce(0) { $0 + $1.length } } }

extension PublishedObject {
  var isSnapshot: Bool { if case .snapshot = kind { true } else { false } }
}

/// The result of one update.
public struct UpdateReport: Hashable, Sendable, CustomStringConvertible {
  /// An update's effect on the data.
  public enum Action: String, Hashable, Sendable {
    case upToDate
    /// Deltas changed rows in the existing file.
    case applied
    /// A snapshot replaced the file.
    case replaced
  }

  /// The plan that succeeded; the update may have tried others first.
  public let plan: UpdatePlan
  /// The previous version, if any.
  public let from: SeedVersion?
  /// The current data.
  public let seed: Seed
  /// Total bytes of the snapshot and deltas that were used, each counted once.
  public let bytes: Int
  /// Network traffic, including metadata and repeated requests.
  public let traffic: UpdateTraffic
  /// Rows changed by deltas, by table; empty after a snapshot, in which any row may differ.
  public let changes: [String: SeedChanges.Table]
  /// Whether the series is active, deprecated or retired, so that the app can ask its users to update it.
  public let lifecycle: SeedLifecycle
  /// The update's duration, excluding device sleep.
  public let duration: Duration
  /// The phases in order. A phase occurs again if its files were unusable and others were downloaded.
  public let phases: [Phase]

  package init(
    plan: UpdatePlan, from: SeedVersion?, seed: Seed, bytes: Int, traffic: UpdateTraffic,
    changes: [String: SeedChanges.Table], lifecycle: SeedLifecycle, duration: Duration,
    phases: [Phase] = []
  ) {
    (self.plan, self.from, self.seed, self.bytes) = (plan, from, seed, bytes)
    (self.traffic, self.changes, self.lifecycle, self.duration) = (traffic, changes, lifecycle, duration)
    self.phases = phases
  }

  /// The effect on the data.
  public var action: Action { plan.action }

  /// The current version.
  public var to: SeedVersion { seed.version }

  /// One line: version, files, and traffic.
  public var description: String {
    let files = plan.files.joined(separator: ", ")
    let way = action == .upToDate ? "is the newest" : "arrived as \(files) (\(plan.reason.rawValue))"
    return
      "version \(to) \(way): \(traffic.requests) requests, \(ByteCount(bytes: traffic.bytes)), \(duration)"
  }
}

/// An update's network traffic.
public struct UpdateTraffic: Hashable, Sendable {
  /// Requests sent, not counting redirects.
  public package(set) var requests = 0
  /// Bytes of response bodies. Metadata that was compressed for the transfer counts with its expanded size.
  public package(set) var bytes = 0
  /// Requests repeated after a failure.
  public package(set) var retries = 0
  /// Downloads restarted at the first byte: the server's file changed, or the server ignores ranges.
  public package(set) var restarts = 0

  package init() {}
}

extension UpdateReport {
  /// A phase that has ended.
  public struct Phase: Hashable, Sendable {
    /// The phase, with its final progress.
    public let phase: UpdatePhase
    /// Its duration, excluding device sleep.
    public let duration: Duration

    /// Bytes downloaded, expanded or applied; 0 in a phase without progress.
    public var bytes: Int {
      switch phase {
      case .downloading(let bytes, _), .expanding(let bytes, _), .applying(_, let bytes, _): bytes
      case .checking, .buildingIndexes, .swapping, .finished: 0
      }
    }
  }
}

/// An update's phase and progress.
public enum UpdatePhase: Hashable, Sendable {
  /// Asking the server for updates.
  case checking
  /// Downloading; `totalBytes` is the sum of all files.
  case downloading(bytes: Int, totalBytes: Int)
  /// Expanding and verifying a snapshot; bytes are those of the expanded file.
  case expanding(bytes: Int, totalBytes: Int)
  /// Building the snapshot's secondary indexes.
  case buildingIndexes
  /// Applying deltas: rows changed so far, and bytes of the deltas read.
  case applying(rows: Int, bytes: Int, totalBytes: Int)
  /// Making the new file current.
  case swapping
  /// The last phase.
  case finished(UpdateReport)

  /// The phase's progress from 0 to 1; `nil` if unknown.
  public var fractionCompleted: Double? {
    switch self {
    case .checking, .buildingIndexes, .swapping: nil
    case .downloading(let bytes, let total), .expanding(let bytes, let total),
      .applying(_, let bytes, let total):
      total > 0 ? min(Double(bytes) / Double(total), 1) : nil
    case .finished: 1
    }
  }
}

/// Limits on an update's networks and size.
public struct UpdatePolicy: Hashable, Sendable {
  /// Whether the update may use networks that cost money, such as mobile ones. Ignored on Linux.
  public var allowsExpensive: Bool
  /// Whether the update may use networks in Low Data Mode. Ignored on Linux.
  public var allowsConstrained: Bool
  /// The maximum bytes of snapshots and deltas; no limit if `nil`. A larger update fails with
  /// ``SeedError/Code/tooLarge`` before it downloads any of them.
  public var maximumBytes: Int?

  /// Creates a policy. By default everything is allowed, as for an update that the user requested.
  public init(allowsExpensive: Bool = true, allowsConstrained: Bool = true, maximumBytes: Int? = nil) {
    (self.allowsExpensive, self.allowsConstrained) = (allowsExpensive, allowsConstrained)
    self.maximumBytes = maximumBytes
  }

  /// A policy for updates that no user waits for: avoids networks in Low Data Mode.
  public static let background = UpdatePolicy(allowsConstrained: false)
}
