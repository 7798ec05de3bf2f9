import SeedFormat
import SeedServer
import SeedSystem

/// Writes a model's folder, all of it or nothing, and what the origin held when it was made.
struct ModelInstaller {
  let model: ModelDefinition
  let datasetFolder: String
  let known: OriginOutline

  var files: [(path: String, text: String)] {
    [("\(model.path)/\(ModelFolder.schemaFileName)", model.schemaSQL)]
      + model.projections.sorted { $0.key < $1.key }.map { ("\(model.path)/\($0.key).sql", $0.value) }
  }

  func install() throws {
    // A hidden folder is no model.
    let parent = ModelFolder.parent(inDataset: datasetFolder)
    let staging = "\(parent)/.\(model.version)-\(Epoch.random())\(DurableFile.temporarySuffix)"
    do {
      try Folder.create(staging)
      for (path, text) in files {
        try DurableFile.write(Array(text.utf8), to: staging + path.dropFirst(model.path.count))
      }
      try Folder.rename(staging, to: model.path)
    } catch {
      try? Folder.removeAll(staging)
      throw error
    }
    try Folder.sync(parent)
    try Self.note(known, in: datasetFolder)
  }

  /// From here on the origin has gained nothing.
  static func note(_ known: OriginOutline, in datasetFolder: String) throws {
    try DurableFile.write(
      Array(KnownOrigin.text(known).utf8), to: KnownOrigin.path(inDataset: datasetFolder))
  }
}
