package import SeedFormat
package import SeedPublication

package struct ModelChoice {
  package let version: ModelVersion
  /// The newest model of the same major, or else of an earlier one.
  package let base: ModelDefinition
  package let path: String

  /// `given`: nil for the next minor of the newest major.
  package init(
    _ given: ModelVersion?, of dataset: DatasetName, in folder: String, _ models: [ModelDefinition]
  ) throws(Refusal) {
    let models = models.sorted { $0.version < $1.version }
    guard let newest = models.last, let version = given ?? (try? newest.version.next) else {
      throw Refusal(.configuration, "\(folder): there is no model to begin with.")
    }
    try Self.check(version, models, dataset)
    guard let base = models.last(where: { $0.version < version }) else {
      throw Refusal(
        .usage, "\(dataset) begins with model \(models[0].version): choose a version above it.")
    }
    self.version = version
    self.base = base
    path = "\(ModelFolder.parent(inDataset: folder))/\(version)"
  }

  /// Throws unless the version follows the newest minor of its major.
  private static func check(
    _ version: ModelVersion, _ models: [ModelDefinition], _ dataset: DatasetName
  ) throws(Refusal) {
    let newest = models.map(\.version).last { $0.major == version.major }
    guard let newest, newest >= version else { return }
    throw Refusal(
      .usage, "\(dataset) has model \(newest) already. Nothing was changed; choose a version above it.")
  }
}

extension ModelVersion {
  fileprivate var next: ModelVersion {
    get throws(InvalidName) { try ModelVersion(major: major, minor: minor + 1) }
  }
}
