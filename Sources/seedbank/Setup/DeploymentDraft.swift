import SeedDatabase
import SeedFormat
import SeedServer

/// The files of a new deployment, decided but not yet written.
struct DeploymentDraft: Sendable {
  /// Where it will be.
  let directory: String
  let dataset: DatasetConfiguration
  let models: [ModelDraft]

  /// For the operator, at the top of dataset.json.
  private static let comment =
    "checkSeconds and pollSeconds are short so that a change shows at once while you try things out;"
    + " raise pollSeconds before many devices ask."

  /// The trust anchor for clients: the first root metadata.
  static let rootName = "root.json"

  init(_ name: DatasetName, origin: String, directory: String, models: [ModelDraft]) {
    self.directory = directory
    self.models = models
    let folder = "\(PhysicalPath.folder(directory))/\(name)"
    let path = PhysicalPath.joining(PhysicalPath.file(origin), through: folder)
    var dataset = DatasetConfiguration(name: name, folder: folder, originPath: path)
    dataset.policy.pollSeconds = 2
    self.dataset = dataset
  }

  private init(_ draft: DeploymentDraft, _ dataset: DatasetConfiguration) {
    directory = draft.directory
    models = draft.models
    self.dataset = dataset
  }

  /// With other facts about the data.
  func describing(license: String, attribution: String, source: String) -> Self {
    var described = dataset
    described.policy.provenance = Provenance(license: license, attribution: attribution, source: source)
    return Self(self, described)
  }

  /// seedbank.json.
  var file: String { Paths.absolute(DeploymentConfiguration.fileName, from: directory) }

  /// Where clients' trust anchor will be.
  var rootFile: String { Paths.absolute(Self.rootName, from: directory) }

  /// Names that must be free in the directory; seedbank.json, which makes it a deployment, is the last one.
  var entries: [String] {
    [
      dataset.name.text, DeploymentConfiguration.Usual.keys, DeploymentConfiguration.Usual.publication,
      Self.rootName, DeploymentConfiguration.fileName,
    ]
  }

  /// The configuration, by paths within the directory.
  var texts: [DraftedFile] {
    let deployment = DeploymentConfiguration(file: file, datasets: [dataset])
    let members = dataset.json.members ?? []
    let described = JSONValue.object([JSONMember("$comment", .string(Self.comment))] + members)
    let own = [
      DraftedFile(path: DeploymentConfiguration.fileName, text: deployment.fileText),
      DraftedFile(path: "\(dataset.name)/\(DatasetConfiguration.fileName)", text: described.prettyText),
    ]
    let folder = ModelFolder.parent(inDataset: dataset.name.text)
    return own + models.flatMap { $0.files(in: "\(folder)/\($0.version)") }
  }

  /// What the models would be published as; throws what is wrong with them.
  func plans() throws(PlanError) -> [SeriesPlan] {
    let folder = ModelFolder.parent(inDataset: "\(directory)/\(dataset.name)")
    return try SeriesPlan.plans(dataset.name, models.map { $0.definition(in: "\(folder)/\($0.version)") })
  }
}

/// A text file, by its path within the deployment.
struct DraftedFile: Hashable, Sendable {
  let path: String
  let text: String
}

/// A model's files.
struct ModelDraft: Hashable, Sendable {
  let version: ModelVersion
  let schemaSQL: String
  /// One SELECT by table, for those that the origin has under another name or shape.
  var projections: [String: String] = [:]

  func files(in folder: String) -> [DraftedFile] {
    let schema = DraftedFile(path: "\(folder)/\(ModelFolder.schemaFileName)", text: schemaSQL)
    return [schema]
      + projections.sorted { $0.key < $1.key }.map {
        DraftedFile(path: "\(folder)/\($0.key).sql", text: $0.value)
      }
  }

  func definition(in folder: String) -> ModelDefinition {
    ModelDefinition(version: version, schemaSQL: schemaSQL, projections: projections, path: folder)
  }
}
