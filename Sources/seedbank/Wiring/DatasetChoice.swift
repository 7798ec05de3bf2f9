import SeedFormat
import SeedPublication
import SeedPublisher
import SeedTrust

extension DeploymentConfiguration {
  func datasets(chosenBy arguments: ParsedArguments) throws(Refusal) -> [DatasetConfiguration] {
    guard let name = arguments.string("dataset") else { return datasets }
    let chosen = datasets.filter { $0.name.text == name }
    guard !chosen.isEmpty else {
      throw arguments.unsuitable("dataset", name, alternatives(datasets.map(\.name.text)))
    }
    return chosen
  }
}

extension ParsedArguments {
  func version(_ name: String) throws -> SeedVersion? {
    try integer(name, in: 1...Int(Limits.exactJSONInteger)).map { try SeedVersion($0) }
  }

  func onlyDataset(of configuration: DeploymentConfiguration) throws(Refusal) -> DatasetConfiguration {
    let datasets = try configuration.datasets(chosenBy: self)
    guard datasets.count == 1 else { throw undecided("dataset", alternatives(datasets.map(\.name.text))) }
    return datasets[0]
  }
}

struct SeriesChoice {
  let dataset: DatasetConfiguration
  let series: SeedSeries
  let publication: PublicationDirectory

  init(_ arguments: ParsedArguments, _ configuration: DeploymentConfiguration) throws {
    let dataset = try arguments.onlyDataset(of: configuration)
    let majors = Set(dataset.models.map(\.version.major)).sorted()
    let given = arguments.string("series")
    let major = majors.first { given == nil ? majors.count == 1 : String($0) == given }
    guard let major else {
      let choices = alternatives(majors.map(String.init))
      throw given.map { arguments.unsuitable("series", $0, choices) }
        ?? arguments.undecided("series", choices)
    }
    self.dataset = dataset
    series = try SeedSeries(dataset.name, major: major)
    publication = PublicationDirectory(configuration.publication)
  }

  var newestModel: ModelVersion? { dataset.models.map(\.version).filter { $0.major == series.major }.max() }

  func published() throws -> SeriesMetadata {
    guard let found = try publication.published().series[series]?.metadata else {
      throw RecallError.notPublished(series)
    }
    return found
  }
}
