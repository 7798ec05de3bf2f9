import SeedFormat
import SeedPublisher

struct ModelChoice {
  let version: ModelVersion
  /// The newest model of the same major, or else of an earlier one.
  let base: ModelDefinition
  let path: String

  /// `given`: nil for the next minor of the newest major.
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

  /// Throws unless the version follows the newest minor of its major.
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
  var next: ModelVersion { get throws(InvalidName) { try ModelVersion(major: major, minor: minor + 1) } }
}
