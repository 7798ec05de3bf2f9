import SeedFormat
import SeedServer
import SeedSystem

/// Writes a model's folder, all of it or nothing, and what the origin held when it was made.
struct ModelInstaller {
  let model: ModelDefinition
  let datasetFolder: String
  let known: OriginOutline

  func install() throws {
    try model.files.install(asFolder: model.path)
    try Self.note(known, in: datasetFolder)
  }

  /// From here on the origin has gained nothing.
  static func note(_ known: OriginOutline, in datasetFolder: String) throws {
    try DurableFile.write(
      Array(KnownOrigin.text(known).utf8), to: KnownOrigin.path(inDataset: datasetFolder))
  }
}
