import SeedFormat

import class Foundation.FileManager

/// A model of a dataset: the SQL files of `models/<major.minor>/`.
struct ModelFolder: Hashable, Sendable {
  let version: ModelVersion
  /// What the client opens.
  let schemaSQL: String
  /// One SELECT by table; a table without one is read by the names of its columns.
  let projections: [String: String]
  /// Absolute.
  let path: String

  static let schemaFileName = "schema.sql"
  private static let suffix = ".sql"

  /// Where a dataset's models are.
  static func parent(inDataset folder: String) -> String { "\(folder)/models" }

  /// Every model of a dataset, in order.
  static func all(inDataset folder: String) throws(ConfigurationError) -> [ModelFolder] {
    let parent = parent(inDataset: folder)
    var models: [ModelFolder] = []
    for name in try visibleNames(in: parent) { models.append(try ModelFolder(name, in: parent)) }
    guard !models.isEmpty else {
      throw ConfigurationError(
        parent, "expected a folder for each model, such as 1.0/\(schemaFileName), found none")
    }
    return models.sorted { $0.version < $1.version }
  }

  private init(_ name: String, in parent: String) throws(ConfigurationError) {
    path = "\(parent)/\(name)"
    version = try Self.version(name, path)
    let names = try Self.visibleNames(in: path)
    guard names.contains(Self.schemaFileName) else {
      throw ConfigurationError(path, "expected \(Self.schemaFileName) in this folder, found none")
    }
    schemaSQL = try TextFile.text("\(path)/\(Self.schemaFileName)")
    projections = try Self.projections(names, path)
  }

  private static func version(_ name: String, _ path: String) throws(ConfigurationError) -> ModelVersion {
    do {
      return try ModelVersion(name)
    } catch {
      throw ConfigurationError(path, "expected a folder named \(error.expected), found \"\(name.clipped)\"")
    }
  }

  private static func projections(
    _ names: [String], _ path: String
  ) throws(ConfigurationError) -> [String: String] {
    var projections: [String: String] = [:]
    for name in names where name != schemaFileName {
      guard name.hasSuffix(suffix), name.count > suffix.count else {
        throw ConfigurationError(
          "\(path)/\(name)", "expected only \(schemaFileName) and <table>.sql in a model's folder")
      }
      projections[String(name.dropLast(suffix.count))] = try TextFile.text("\(path)/\(name)")
    }
    return projections
  }

  /// Without hidden names: file managers, version control and container mounts leave some.
  private static func visibleNames(in folder: String) throws(ConfigurationError) -> [String] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      return names.filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      throw ConfigurationError(folder, "expected a folder that can be listed, found none")
    }
  }
}
