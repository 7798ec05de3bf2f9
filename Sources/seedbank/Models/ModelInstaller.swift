import SeedFormat
import SeedPublisher
import SeedSystem

struct ModelInstaller {
  let model: ModelDefinition
  let datasetFolder: String
  let known: OriginOutline

  func install() throws {
    try model.files.install(asFolder: model.path)
    try Self.note(known, in: datasetFolder)
  }

  /// Records the origin's contents, so that later additions are reported.
  static func note(_ known: OriginOutline, in datasetFolder: String) throws {
    try DurableFile.write(
      Array(KnownOrigin.text(known).utf8), to: KnownOrigin.path(inDataset: datasetFolder))
  }
}
