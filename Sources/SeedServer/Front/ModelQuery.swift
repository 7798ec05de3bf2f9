import SeedFormat
import SeedTrust

/// A client's model and the series that serves it.
struct ModelQuery {
  let series: SeriesMetadata
  let model: ModelVersion

  /// Finds the series, or says why no data is to be had for that model.
  init(_ model: ModelVersion, of dataset: DatasetName, in catalog: PublishedCatalog) throws(Problem) {
    let known = (catalog.datasets[dataset] ?? []).flatMap { $0.state.models.keys }.sorted()
    guard let series = catalog.series(dataset, major: model.major) else {
      throw .unknownModel(model, known: known)
    }
    if case .retired(let message) = series.state.lifecycle {
      throw .modelRetired(series.series, message: message)
    }
    guard model <= series.state.model else {
      throw .modelNotYetPublished(model, newest: series.state.model)
    }
    guard series.state.models[model] != nil else { throw .unknownModel(model, known: known) }
    self.series = series
    self.model = model
  }
}
