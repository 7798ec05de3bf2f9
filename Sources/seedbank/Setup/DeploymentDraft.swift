import Foundation
import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem

struct DeploymentDraft: Sendable {
  let directory: String
  var dataset: DatasetConfiguration
  /// Parts of the origin that the dataset skips or changes.
  var notes: [SetupNote] = []

  private static let comment =
    "checkSeconds and pollSeconds are short so that a change shows at once while you try things out;"
    + " raise pollSeconds before many devices ask."

  /// The clients' trust anchor: the first root metadata.
  static let rootName = "root.json"

  /// Derives the models' paths from the directory. Only an origin that is a file has a path.
  init(_ name: DatasetName, origin: String, directory: String, models: [ModelDefinition]) {
    self.directory = directory
    let folder = "\(PhysicalPath.folder(directory))/\(name)"
    let path = origin.isEmpty ? "" : PhysicalPath.joining(PhysicalPath.file(origin), through: folder)
    dataset = DatasetConfiguration(name: name, folder: folder, originPath: path)
    dataset.policy.pollSeconds = 2
    dataset.models = models.map { model in
      ModelDefinition(
        version: model.version, schemaSQL: model.schemaSQL, projections: model.projections,
        path: "\(ModelFolder.parent(inDataset: "\(directory)/\(name)"))/\(model.version)")
    }
  }

  var file: String { Paths.absolute(DeploymentConfiguration.fileName, from: directory) }

  var rootFile: String { Paths.absolute(Self.rootName, from: directory) }

  /// Names that must be free in the directory. seedbank.json is last because it makes the directory a deployment.
  var entries: [String] {
    [
      dataset.name.text, DeploymentConfiguration.Usual.keys, DeploymentConfiguration.Usual.publication,
      Self.rootName, DeploymentConfiguration.fileName,
    ]
  }

  var texts: [DraftedFile] {
    let deployment = DeploymentConfiguration(file: file, datasets: [dataset])
    return [DraftedFile(path: DeploymentConfiguration.fileName, text: deployment.fileText)]
      + datasetTexts.map { DraftedFile(path: "\(dataset.name)/\($0.path)", text: $0.text) }
  }

  /// Files of the dataset's folder, with paths relative to it.
  var datasetTexts: [DraftedFile] {
    let described = JSONValue.object(
      [JSONMember("$comment", .string(Self.comment))] + (dataset.json.members ?? []))
    let known = dataset.knownOrigin.map {
      DraftedFile(path: KnownOrigin.fileName, text: KnownOrigin.text($0))
    }
    let own = [DraftedFile(path: DatasetConfiguration.fileName, text: described.prettyText), known]
    let leftOut = notes.isEmpty ? nil : DraftedFile(path: SetupNote.fileName, text: SetupNote.fileText(notes))
    return (own + [leftOut]).compactMap(\.self) + dataset.models.flatMap(modelTexts)
  }

  private func modelTexts(_ model: ModelDefinition) -> [DraftedFile] {
    let folder = Paths.relative(model.path, to: "\(directory)/\(dataset.name)")
    return model.files.map { DraftedFile(path: "\(folder)/\($0.path)", text: $0.text) }
  }
}

extension ModelDefinition {
  var files: [DraftedFile] {
    let selects = projections.sorted { $0.key < $1.key }
    return [DraftedFile(path: ModelFolder.schemaFileName, text: schemaSQL)]
      + selects.map { DraftedFile(path: "\($0.key).sql", text: $0.value) }
  }
}

extension SeriesPlan {
  /// Prepares every projection before any file is written. Reads no rows.
  func prove(against origin: any Origin) throws {
    for table in schema.tables { try prove(table, against: origin) }
  }

  func prove(_ table: TableSchema, against origin: any Origin) throws {
    _ = try origin.rows(table, projection(table))
  }
}

enum DatasetNaming {
  /// Folders of a deployment whose names a dataset cannot have.
  static let taken = [
    DeploymentConfiguration.Usual.publication, DeploymentConfiguration.Usual.state,
    DeploymentConfiguration.Usual.keys,
  ]

  /// For example, `My Shop.sqlite` becomes `my-shop`, and `2024 Städte.db` becomes `stadte`.
  static func name(forFile path: String) throws(InvalidName) -> DatasetName {
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    let words = folded(String(stem)).split { !"abcdefghijklmnopqrstuvwxyz0123456789".contains($0) }
      .joined(separator: "-")
    let text = words.drop { !$0.isLetter }.prefix(Limits.datasetNameLength)
    let trimmed = String(text.last == "-" ? text.dropLast() : text)
    if trimmed.isEmpty { return "data" }
    return try DatasetName(taken.contains(trimmed) ? "\(trimmed)-data" : trimmed)
  }

  private static func folded(_ text: String) -> String {
    let plain = text.lowercased().replacing("ß", with: "ss").decomposedStringWithCanonicalMapping
    return String(String.UnicodeScalarView(plain.unicodeScalars.filter { !$0.properties.isDiacritic }))
  }
}

/// Paths with resolved links. Only these may contain `..`, because the system resolves it on disk.
enum PhysicalPath {
  /// The folder's real path; missing parts are kept as written.
  static func folder(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    guard path != "/" else { return path }
    return Paths.absolute(name(of: path), from: folder(Folder.parent(of: path)))
  }

  /// The real folder with the file's own name, because the operator may redirect a link.
  static func file(_ path: String) -> String {
    Paths.absolute(name(of: path), from: folder(Folder.parent(of: path)))
  }

  /// `file` relative to `folder` with as many `..` as needed, such as `/a/b/../c.sqlite`, if both share more than the
  /// root; otherwise unchanged. Configuration files hold the part behind the folder.
  static func joining(_ file: String, through folder: String) -> String {
    let (from, to) = (folder.split(separator: "/"), file.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    guard shared > 0, shared < from.count else { return file }
    let steps = repeatElement("..", count: from.count - shared).map { Substring($0) }
    return "\(folder)/\((steps + to[shared...]).joined(separator: "/"))"
  }

  private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
