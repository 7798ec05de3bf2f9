import Foundation
import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// What the status is read from.
struct DeploymentView {
  let configuration: DeploymentConfiguration
  let publication: PublicationDirectory
  let published: PublishedMetadata
  let history: StepHistory
  /// What waits for signatures.
  let pending: OfflineChange

  init(_ configuration: DeploymentConfiguration) throws {
    self.configuration = configuration
    publication = PublicationDirectory(configuration.publication)
    published = try publication.published()
    history = StepHistory(configuration.state)
    pending = try Publisher(configuration, keys: KeySource(KeyRing())).pendingChange()
  }
}

/// Where a deployment stands.
struct DeploymentStatus {
  let now: UTCTime
  let series: [SeriesStatus]
  let keys: [KeyStatus]
  /// The top-level roles by name, with version and expiry.
  let roles: [(name: String, version: Int, expires: UTCTime)]
  let publicationBytes: Int
  let stateBytes: Int
  let warnings: [String]

  init(
    _ view: DeploymentView, _ datasets: [DatasetConfiguration], _ search: KeySearch, now: UTCTime
  ) throws {
    self.now = now
    series = try datasets.flatMap { dataset in
      try dataset.plans().map { try SeriesStatus($0, dataset, view) }
    }
    keys = try KeyStatus.all(search, trustedBy: view.published)
    let published = view.published
    roles = [
      ("root", published.root.version, published.root.expires),
      ("targets", published.targets.version, published.targets.expires),
      ("snapshot", published.snapshot.version, published.snapshot.expires),
      ("timestamp", published.timestamp.version, published.timestamp.expires),
    ]
    publicationBytes = DiskUse.bytes(below: view.configuration.publication)
    stateBytes = DiskUse.bytes(below: view.configuration.state)
    let lifetime = view.configuration.shortestLifetime
    warnings =
      SignatureStanding(published, pending: view.pending, lifetime: lifetime, now: now).warnings
      + keys.flatMap(\.problems).map { "\($0.place): \($0.text)" } + series.flatMap(\.warnings)
      + AbandonedSeries.all(in: published, view.configuration).map(\.warning)
  }
}

/// Bytes on the disk.
enum DiskUse {
  /// Of one file; 0 where it is not there.
  static func bytes(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Of all files in a folder and below.
  static func bytes(below folder: String) -> Int {
    let names = (try? Folder.names(in: folder)) ?? []
    return names.map { "\(folder)/\($0)" }.reduce(0) {
      $0 + (Folder.isFolder($1) ? bytes(below: $1) : bytes(of: $1))
    }
  }
}
