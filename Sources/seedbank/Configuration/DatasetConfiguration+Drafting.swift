import SeedFormat
import SeedPublisher
import SeedSystem

extension DatasetConfiguration {
  private static let comment =
    "checkSeconds and pollSeconds are short so that a change shows at once while you try things out;"
    + " raise pollSeconds before many devices ask."

  /// Derives the models' paths from the directory. Only an origin that is a file has a path.
  init(drafting name: DatasetName, of origin: String, in directory: String, _ models: [ModelDefinition]) {
    let folder = "\(PhysicalPath.folder(directory))/\(name)"
    let path = origin.isEmpty ? "" : PhysicalPath.joining(PhysicalPath.file(origin), through: folder)
    self.init(name: name, folder: folder, originPath: path)
    policy.pollSeconds = 2
    self.models = models.map { model in
      ModelDefinition(
        version: model.version, schemaSQL: model.schemaSQL, projections: model.projections,
        path: "\(ModelFolder.parent(inDataset: "\(directory)/\(name)"))/\(model.version)")
    }
  }

  fileprivate var draftedText: String {
    JSONValue.object([JSONMember("$comment", .string(Self.comment))] + (json.members ?? [])).prettyText
  }
}

extension DeploymentDraft {
  init(_ dataset: DatasetConfiguration, in directory: String, notes: [SetupNote] = []) {
    let file = Paths.absolute(DeploymentNames.file, from: directory)
    let leftOut = SetupNote.paragraphs(notes).map { TextLayout.wrap($0).joined(separator: "\n") }
    self.init(
      dataset.name, in: directory, dataset.models, knownOrigin: dataset.knownOrigin, notes: notes,
      lifetimeSeconds: dataset.policy.lifetimeSeconds,
      settings: (
        DeploymentConfiguration(file: file, datasets: [dataset]).json.prettyText, dataset.draftedText
      ), leftOut: leftOut.joined(separator: "\n\n") + "\n")
  }
}
