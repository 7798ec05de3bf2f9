import Foundation
package import SeedDatabase
package import SeedFormat
import SeedSystem

/// The files of a new dataset, and of its deployment if that is new too.
package struct DeploymentDraft: Sendable {
  let directory: String
  let dataset: DatasetName
  let models: [ModelDefinition]
  let notes: [SetupNote]
  let lifetimeSeconds: Int
  private let settings: DraftedFile
  /// Files of the dataset's folder, with paths relative to it.
  let datasetTexts: [DraftedFile]

  /// `settings`: the contents of the configuration files.
  package init(
    _ dataset: DatasetName, in directory: String, _ models: [ModelDefinition], knownOrigin: OriginOutline?,
    notes: [SetupNote], lifetimeSeconds: Int, settings: (deployment: String, dataset: String)
  ) {
    (self.directory, self.dataset, self.models, self.notes) = (directory, dataset, models, notes)
    self.lifetimeSeconds = lifetimeSeconds
    self.settings = DraftedFile(path: DeploymentNames.file, text: settings.deployment)
    datasetTexts =
      [DraftedFile(path: DeploymentNames.datasetFile, text: settings.dataset)]
      + (knownOrigin.map { [DraftedFile(path: KnownOrigin.fileName, text: KnownOrigin.text($0))] } ?? [])
      + models.flatMap { model in
        let folder = Paths.relative(model.path, to: "\(directory)/\(dataset)")
        return model.files.map { DraftedFile(path: "\(folder)/\($0.path)", text: $0.text) }
      }
  }

  package var file: String { Paths.absolute(DeploymentNames.file, from: directory) }

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
  /// Prepares every table's SELECT, so that errors appear before any file is written. Reads no rows.
  package func prove(against origin: any Origin) throws {
    for table in schema.tables { try prove(table, against: origin) }
  }

  package func prove(_ table: TableSchema, against origin: any Origin) throws {
    _ = try origin.rows(table, projection(table))
  }
}

package enum DeploymentNames {
  package static let file = "seedbank.json"
  /// The configuration file in a dataset's folder.
  package static let datasetFile = "dataset.json"
  package static let publication = "publication"
  package static let state = "state"
  package static let keys = "keys"
  /// The clients' trust anchor: the first root metadata.
  package static let root = "root.json"

  /// Names that a dataset's folder cannot have.
  package static let taken = [publication, state, keys]
}

extension DatasetName {
  /// For example, `My Shop.sqlite` becomes `my-shop`, and `2024 Städte.db` becomes `stadte`.
  package init(forFile path: String) throws(InvalidName) {
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    let plain = stem.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    let words = plain.replacing("ß", with: "ss").split {
      !"abcdefghijklmnopqrstuvwxyz0123456789".contains($0)
    }.joined(separator: "-")
    let text = words.drop { !$0.isLetter }.prefix(Limits.datasetNameLength)
    let trimmed = String(text.last == "-" ? text.dropLast() : text)
    let isTaken = DeploymentNames.taken.contains(trimmed)
    try self.init(trimmed.isEmpty ? "data" : isTaken ? "\(trimmed)-data" : trimmed)
  }
}

package struct DraftedFile: Sendable {
  package let path: String
  let text: String
}

extension [DraftedFile] {
  func write(below folder: String) throws(FileError) {
    for file in self {
      let path = "\(folder)/\(file.path)"
      try Folder.create(Folder.parent(of: path))
      try DurableFile.write([UInt8](file.text.utf8), to: path)
    }
  }

  func areWritten(below folder: String) -> Bool {
    allSatisfy { file in
      let text = [UInt8](file.text.utf8)
      return (try? DurableFile.read("\(folder)/\(file.path)", limit: text.count)) == text
    }
  }

  /// Creates a folder with these files, completely or not at all.
  package func install(asFolder folder: String) throws {
    let (parent, name) = (Folder.parent(of: folder), String(folder.split(separator: "/").last ?? ""))
    try Folder.stage(name, in: parent, place: { try Folder.rename($0, to: folder) }, filledBy: write)
    try Folder.sync(parent)
  }
}

/// The folders that this process fills before it moves them into place.
package enum StagedFolders {
  fileprivate static let paths = Mutex<Set<String>>([])

  /// Call this when a signal ends the process.
  package static func removeAll() {
    paths.withLock { paths in
      for path in paths { Folder.removeAllInUse(path) }
      paths = []
    }
  }
}

extension Folder {
  /// Fills a new folder, and then moves it into place. It is hidden until then, so that listings of its parent skip it.
  static func stage(
    _ name: String, in parent: String, place: (String) throws -> Void, filledBy fill: (String) throws -> Void
  ) throws {
    let staging = "\(parent)/.\(name)-\(Epoch.random())\(DurableFile.temporarySuffix)"
    StagedFolders.paths.withLock { _ = $0.insert(staging) }
    defer { StagedFolders.paths.withLock { _ = $0.remove(staging) } }
    do {
      try create(staging)
      try fill(staging)
      try syncAll(staging)
      // Holds the lock, so that the cleanup after a signal waits until all entries are in place.
      try StagedFolders.paths.withLock { paths in
        guard paths.contains(staging) else { throw CancellationError() }
        try place(staging)
      }
    } catch {
      // Reports the first error, even if the cleanup fails too.
      try? removeAll(staging)
      throw error
    }
  }

  static func syncAll(_ folder: String) throws(FileError) {
    for name in try names(in: folder) where isFolder("\(folder)/\(name)") { try syncAll("\(folder)/\(name)") }
    try sync(folder)
  }
}
