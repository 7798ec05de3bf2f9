import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

import class Foundation.FileManager

extension ModelFolder {
  static func all(inDataset folder: String) throws(Refusal) -> [ModelDefinition] {
    let parent = parent(inDataset: folder)
    let models = try visibleNames(in: parent).map { name throws(Refusal) in try read(name, in: parent) }
    guard !models.isEmpty else {
      throw Refusal.configuration(
        parent, "expected a folder for each model, such as 1.0/\(schemaFileName), found none")
    }
    return models.sorted { $0.version < $1.version }
  }

  private static func read(_ name: String, in parent: String) throws(Refusal) -> ModelDefinition {
    let path = "\(parent)/\(name)"
    let version = try version(name, path)
    let names = try visibleNames(in: path)
    guard names.contains(schemaFileName) else {
      throw Refusal.configuration(path, "expected \(schemaFileName) in this folder, found none")
    }
    return ModelDefinition(
      version: version, schemaSQL: try TextFile.text("\(path)/\(schemaFileName)"),
      projections: try projections(names, path), path: path)
  }

  private static func version(_ name: String, _ path: String) throws(Refusal) -> ModelVersion {
    do {
      return try ModelVersion(name)
    } catch {
      throw Refusal.configuration(
        path, "expected a folder named \(error.expected), found \"\(name.clipped)\"")
    }
  }

  private static func projections(_ names: [String], _ path: String) throws(Refusal) -> [String: String] {
    var projections: [String: String] = [:]
    for name in names where name != schemaFileName {
      guard name.hasSuffix(suffix), name.count > suffix.count else {
        throw Refusal.configuration(
          "\(path)/\(name)", "expected only \(schemaFileName) and <table>.sql in a model's folder")
      }
      projections[String(name.dropLast(suffix.count))] = try TextFile.text("\(path)/\(name)")
    }
    return projections
  }

  /// Ignores hidden names left by file managers, version control and container mounts.
  private static func visibleNames(in folder: String) throws(Refusal) -> [String] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      return names.filter { !$0.hasPrefix(".") }.sorted()
    } catch { throw Refusal.configuration(folder, "expected a folder that can be listed, found none") }
  }
}

extension KnownOrigin {
  static func read(inDataset folder: String) throws(Refusal) -> OriginOutline? {
    let path = path(inDataset: folder)
    guard Folder.exists(path) else { return nil }
    let json = try TextFile.json(path)
    do throws(MalformedJSON) {
      return try OriginOutline(json)
    } catch { throw Refusal.configuration(error, in: path) }
  }
}
