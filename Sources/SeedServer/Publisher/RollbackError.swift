package import SeedFormat

/// Why a series cannot go back to a version.
package enum RollbackError: Error, Hashable, Sendable, CustomStringConvertible {
  case notPublished(series: Series)
  case otherModel(series: Series, version: Version, model: ModelVersion, newest: ModelVersion)

  package var description: String {
    switch self {
    case .notPublished(let series):
      "the series \(series) is not published, or retired: there is nothing to go back to"
    case .otherModel(let series, let version, let model, let newest):
      "version \(version) of \(series) has model \(model), the newest is \(newest): "
        + "going back stays within one model"
    }
  }
}
