import Foundation
import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem

/// The files of a new deployment, decided but not yet written.
struct DeploymentDraft: Sendable {
  let directory: String
  private(set) var dataset: DatasetConfiguration
  let models: [ModelDraft]

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

  func describing(license: String, attribution: String, source: String) -> Self {
    var draft = self
    draft.dataset.policy.provenance = Provenance(license: license, attribution: attribution, source: source)
    return draft
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

  /// Throws where the models cannot be published.
  func plans() throws(PlanError) -> [SeriesPlan] {
    let folder = ModelFolder.parent(inDataset: "\(directory)/\(dataset.name)")
    return try SeriesPlan.plans(dataset.name, models.map { $0.definition(in: "\(folder)/\($0.version)") })
  }
}

struct DraftedFile: Hashable, Sendable {
  let path: String
  let text: String
}

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

/// Finds a dataset's name for a file.
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
    let words = folded(String(stem)).split { !isAllowed($0) }.joined(separator: "-")
    let text = words.drop { !$0.isLetter }.prefix(Limits.datasetNameLength)
    let trimmed = String(text.trimmingSuffix("-"))
    if trimmed.isEmpty { return "data" }
    return try DatasetName(taken.contains(trimmed) ? "\(trimmed)-data" : trimmed)
  }

  private static func folded(_ text: String) -> String {
    let plain = text.lowercased().replacing("ß", with: "ss").decomposedStringWithCanonicalMapping
    return String(String.UnicodeScalarView(plain.unicodeScalars.filter { !$0.properties.isDiacritic }))
  }

  private static func isAllowed(_ character: Character) -> Bool {
    ("a"..."z").contains(character) || ("0"..."9").contains(character)
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ character: Character) -> Substring {
    var rest = self
    while rest.last == character { rest.removeLast() }
    return rest
  }
}

/// Paths with their links followed: only between such may `..` be written, for the system follows it on the
/// disk.
enum PhysicalPath {
  /// The folder's real place; what is not there yet is taken as it is written.
  static func folder(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    guard path != "/" else { return path }
    return Paths.absolute(name(of: path), from: folder(Paths.folder(of: path)))
  }

  /// The file's real folder with its own name: a link that the operator turns to another file stays one.
  static func file(_ path: String) -> String {
    Paths.absolute(name(of: path), from: folder(Paths.folder(of: path)))
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
