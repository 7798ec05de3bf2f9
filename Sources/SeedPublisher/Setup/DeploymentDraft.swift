package import SeedDatabase
package import SeedFormat
import SeedSystem

/// The files of a new dataset, and of its deployment if that is new too.
package struct DeploymentDraft: Sendable {
  let directory: String
  let dataset: DatasetName
  let models: [ModelDefinition]
  /// Parts of the origin that the dataset skips or changes.
  let notes: [SetupNote]
  /// The validity of the first signatures.
  let lifetimeSeconds: Int
  private let settings: DraftedFile
  /// Files of the dataset's folder, with paths relative to it.
  let datasetTexts: [DraftedFile]

  /// `settings`: the texts of the configuration files; `leftOut`: a text for the operator about the notes.
  package init(
    _ dataset: DatasetName, in directory: String, _ models: [ModelDefinition], knownOrigin: OriginOutline?,
    notes: [SetupNote], lifetimeSeconds: Int, settings: (deployment: String, dataset: String),
    leftOut: String
  ) {
    (self.directory, self.dataset, self.models, self.notes) = (directory, dataset, models, notes)
    self.lifetimeSeconds = lifetimeSeconds
    self.settings = DraftedFile(path: DeploymentNames.file, text: settings.deployment)
    datasetTexts =
      [DraftedFile(path: DeploymentNames.datasetFile, text: settings.dataset)]
      + (knownOrigin.map { [DraftedFile(path: KnownOrigin.fileName, text: KnownOrigin.text($0))] } ?? [])
      + (notes.isEmpty ? [] : [DraftedFile(path: SetupNote.fileName, text: leftOut)])
      + models.flatMap { model in
        let folder = Paths.relative(model.path, to: "\(directory)/\(dataset)")
        return model.files.map { DraftedFile(path: "\(folder)/\($0.path)", text: $0.text) }
      }
  }

  package var file: String { Paths.absolute(DeploymentNames.file, from: directory) }

  var rootFile: String { Paths.absolute(DeploymentNames.root, from: directory) }

  /// Names that must be free in the directory. seedbank.json is last because it makes the directory a deployment.
  var entries: [String] {
    [
      dataset.text, DeploymentNames.keys, DeploymentNames.publication, DeploymentNames.root,
      DeploymentNames.file,
    ]
  }

  var texts: [DraftedFile] {
    [settings] + datasetTexts.map { DraftedFile(path: "\(dataset)/\($0.path)", text: $0.text) }
  }
}

extension ModelDefinition {
  package var files: [DraftedFile] {
    let selects = projections.sorted { $0.key < $1.key }
    return [DraftedFile(path: ModelFolder.schemaFileName, text: schemaSQL)]
      + selects.map { DraftedFile(path: "\($0.key)\(ModelFolder.suffix)", text: $0.value) }
  }
}

extension SeriesPlan {
  /// Prepares every projection before any file is written. Reads no rows.
  package func prove(against origin: any Origin) throws {
    for table in schema.tables { try prove(table, against: origin) }
  }

  package func prove(_ table: TableSchema, against origin: any Origin) throws {
    _ = try origin.rows(table, projection(table))
  }
}
