import SeedFormat
import SeedServer

/// Which model a new one follows, and where it goes.
struct ModelChoice {
  let version: ModelVersion
  /// The newest of the same major, else of those before it.
  let base: ModelDefinition
  let path: String

  /// `given` is nil for the newest major's next minor.
  init(_ given: ModelVersion?, in dataset: DatasetConfiguration) throws(CommandFailure) {
    let models = dataset.models.sorted { $0.version < $1.version }
    guard let newest = models.last, let version = given ?? (try? newest.version.next) else {
      throw CommandFailure(.configuration, "\(dataset.folder): there is no model to begin with.")
    }
    try Self.check(version, models, dataset.name)
    guard let base = models.last(where: { $0.version < version }) else {
      throw CommandFailure(
        .usage, "\(dataset.name) begins with model \(models[0].version): choose a version above it.")
    }
    self.version = version
    self.base = base
    path = "\(ModelFolder.parent(inDataset: dataset.folder))/\(version)"
  }

  /// Between two minors nothing fits: the later one has it already.
  private static func check(
    _ version: ModelVersion, _ models: [ModelDefinition], _ dataset: DatasetName
  ) throws(CommandFailure) {
    let newest = models.map(\.version).last { $0.major == version.major }
    guard let newest, newest >= version else { return }
    throw CommandFailure(
      .usage, "\(dataset) has model \(newest) already. Nothing was changed; choose a version above it.")
  }
}

extension ModelVersion {
  /// The next minor.
  var next: ModelVersion { get throws(InvalidName) { try ModelVersion(major: major, minor: minor + 1) } }
}
