import SeedDatabase
import SeedFormat
import SeedServer
import SeedTrust

/// A configuration made ready to work: schemas read, keys loaded.
struct Deployment {
  let configuration: DeploymentConfiguration
  let publication: PublicationDirectory
  let publisher: RecordedPublisher

  /// Reads all that is needed to publish; nothing is written.
  init(_ configuration: DeploymentConfiguration, _ console: Console) throws {
    self.configuration = configuration
    publication = PublicationDirectory(configuration.publication)
    let keys = try DeploymentKeys(folder: configuration.keys) { console.warning($0) }
    var publisher = Publisher(
      publication, stateFolder: configuration.state, keys: keys.online, targetsKeys: keys.targets)
    publisher.graceSeconds = configuration.datasets.map(\.retention.graceSeconds).max() ?? 0
    self.publisher = RecordedPublisher(
      publisher, BuildHistory(configuration.state) { console.tell($0) })
  }

  /// Where the trust anchor for clients lies.
  var rootPath: String { configuration.rootPath }
}

extension DeploymentConfiguration {
  /// Where the trust anchor for clients lies.
  var rootPath: String { "\(Paths.folder(of: file))/\(DeploymentDraft.rootName)" }

  /// The dataset that `--dataset` names, or all of them.
  func datasets(chosenBy arguments: ParsedArguments) throws(UsageError) -> [DatasetConfiguration] {
    guard let name = arguments.string("dataset") else { return datasets }
    let chosen = datasets.filter { $0.name.text == name }
    guard !chosen.isEmpty else {
      throw arguments.unsuitable("dataset", name, alternatives(datasets.map(\.name.text)))
    }
    return chosen
  }
}

extension DatasetJob {
  /// The job that a dataset's folder describes.
  init(_ dataset: DatasetConfiguration) throws {
    self.init(
      name: dataset.name, originPath: dataset.origin.path, plans: try dataset.plans(),
      encodings: dataset.encodings.map(\.encoding))
    indexes = dataset.indexes.place
    provenance = Provenance(
      license: dataset.license, attribution: dataset.attribution, source: dataset.source)
    lifecycles = dataset.lifecycle.mapValues(\.lifecycle)
    pollSeconds = dataset.pollSeconds
    lifetimeSeconds = dataset.expirySeconds
    snapshotSeconds = dataset.schedule.snapshotSeconds
    retainedSnapshots = dataset.retention.snapshots
    retainedSnapshotSeconds = dataset.retention.snapshotAgeSeconds
    graceSeconds = dataset.retention.graceSeconds
    shrinkGuard.percent = dataset.shrink.percent
    shrinkGuard.minimumRows = dataset.shrink.minimumRows
  }
}

extension OriginConfiguration {
  /// Where it lies.
  var path: String {
    switch self {
    case .sqlite(let path): path
    }
  }
}

extension SnapshotEncoding {
  fileprivate var encoding: ContentEncoding {
    switch self {
    case .gzip: .gzip
    case .xz: .xz
    }
  }
}

extension SnapshotIndexes {
  fileprivate var place: IndexPlace {
    switch self {
    case .snapshot: .snapshot
    case .client: .client
    }
  }
}

extension SeriesLifecycle {
  fileprivate var lifecycle: Lifecycle {
    switch state {
    case .active: .active
    case .deprecated: .deprecated(sunset: sunset, message: message)
    case .retired: .retired(message: message)
    }
  }
}
