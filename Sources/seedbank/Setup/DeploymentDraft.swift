import Foundation
import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem

struct DeploymentDraft: Sendable {
  let directory: String
  var dataset: DatasetConfiguration
  /// What the dataset lacks of its origin, or has in another way.
  var notes: [SetupNote] = []

  private static let comment =
    "checkSeconds and pollSeconds are short so that a change shows at once while you try things out;"
    + " raise pollSeconds before many devices ask."

  /// The trust anchor for clients: the first root metadata.
  static let rootName = "root.json"

  /// The models' paths follow from the directory. An origin that is no file has no path.
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

  /// Names that must be free in the directory; seedbank.json, which makes it a deployment, is the last one.
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

  /// The files of the dataset's folder, by their paths there.
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
  /// The files of the model's folder, by their names.
  var files: [DraftedFile] {
    let selects = projections.sorted { $0.key < $1.key }
    return [DraftedFile(path: ModelFolder.schemaFileName, text: schemaSQL)]
      + selects.map { DraftedFile(path: "\($0.key).sql", text: $0.value) }
  }
}

extension SeriesPlan {
  /// Prepares every projection, before anything is written that says the origin can fill the model; reads no row.
  func prove(against origin: any Origin) throws {
    for table in schema.tables { try prove(table, against: origin) }
  }

  func prove(_ table: TableSchema, against origin: any Origin) throws {
    _ = try origin.rows(table, projection(table))
  }
}

enum DatasetNaming {
  /// Folders of a deployment that a dataset's folder would collide with.
  static let taken = [
    DeploymentConfiguration.Usual.publication, DeploymentConfiguration.Usual.state,
    DeploymentConfiguration.Usual.keys,
  ]

  /// `My Shop.sqlite` becomes `my-shop`, `2024 Städte.db` becomes `stadte`.
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

/// Paths with resolved links: only these may contain `..`, because the system resolves it on the disk.
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

  /// The file's real folder with its own name: a link that the operator turns to another file stays one.
  static func file(_ path: String) -> String {
    Paths.absolute(name(of: path), from: folder(Folder.parent(of: path)))
  }

  /// `file` by way of `folder` and as many `..` as it takes, such as `/a/b/../c.sqlite`, where both share
  /// more than the root; else unchanged. Configuration files hold the part behind the folder.
  static func joining(_ file: String, through folder: String) -> String {
    let (from, to) = (folder.split(separator: "/"), file.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    guard shared > 0, shared < from.count else { return file }
    let steps = repeatElement("..", count: from.count - shared).map { Substring($0) }
    return "\(folder)/\((steps + to[shared...]).joined(separator: "/"))"
  }

  private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
