import SeedSystem
import Support

import struct Foundation.Data
import class Foundation.FileManager

@testable import seedbank

/// A deployment in a temporary folder.
final class DeploymentFolder {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  var file: String { "\(path)/seedbank.json" }
  var datasetFile: String { "\(path)/transit/dataset.json" }
  var models: String { "\(path)/transit/models" }

  /// Writes one dataset, `transit`, with one model.
  init(
    deployment: String = #"{"datasets": ["transit"]}"#,
    dataset: String = #"{"origin": {"sqlite": "origin.sqlite"}}"#
  ) throws {
    folder = try TemporaryFolder(inMemory: true)
    try write(deployment, to: "seedbank.json")
    try write(dataset, to: "transit/dataset.json")
    try write("CREATE TABLE stop(id INTEGER PRIMARY KEY);", to: "transit/models/1.0/schema.sql")
  }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let place = "\(path)/\(name)"
    try makeFolder(Folder.parent(of: place))
    guard FileManager.default.createFile(atPath: place, contents: Data(bytes)) else {
      throw CommandFailure(.inputOutput, place)
    }
  }

  func makeFolder(_ place: String) throws {
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

  func read(
    options: [SettingOverride] = [], environment: [String: String] = [:],
    currentDirectory: String = "/work"
  ) throws -> DeploymentConfiguration {
    let overrides = ConfigurationOverrides(
      options: options, environment: environment, currentDirectory: currentDirectory)
    return try DeploymentConfiguration(readingFile: file, overrides: overrides)
  }
}
