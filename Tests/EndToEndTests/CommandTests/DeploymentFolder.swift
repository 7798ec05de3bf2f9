import SeedFormat
import SeedPublication
import Support
import Testing

@testable import seedbank

final class DeploymentFolder {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  var file: String { "\(path)/seedbank.json" }
  var datasetFile: String { "\(path)/transit/dataset.json" }
  var models: String { "\(path)/transit/models" }

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

  func write(_ bytes: [UInt8], to name: String) throws { try folder.write(bytes, to: name) }

  func remove(_ name: String) throws { try folder.remove(name) }

  /// Every effective value by its path.
  func values(
    environment: [String: String] = [:], in directory: String? = nil
  ) throws -> [String: JSONValue] {
    try entries(["config", "show"], environment, in: directory ?? path).reduce(into: [:]) {
      $0[$1.path] = $1.value
    }
  }

  /// The message with which a command rejects the configuration. It is read within this process, because a start of the
  /// program takes longer.
  func mistake(
    _ arguments: [String] = ["config", "show"], environment: [String: String] = [:]
  ) throws -> String {
    do {
      _ = try entries(arguments, environment, in: path)
    } catch {
      let refusal = Refusal(of: error)
      #expect(refusal.exitCode == .configuration)
      return refusal.message
    }
    throw NeverHappened(what: "the configuration is rejected")
  }

  private func entries(
    _ arguments: [String], _ environment: [String: String], in directory: String
  ) throws -> [ConfigurationEntry] {
    let context = Context(of: environment, in: directory)
    let parsed = try ParsedArguments(
      parsing: arguments.dropFirst() + ["--config", file], for: .named(arguments[0]))
    return try context.configuration(parsed).allEntries(context.overrides(parsed))
  }
}

extension Context {
  init(of environment: [String: String], in directory: String) {
    self.init(
      environment: environment, currentDirectory: directory, console: Console(environment: environment))
  }
}
