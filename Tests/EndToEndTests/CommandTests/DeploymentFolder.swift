import SeedFormat
import Support
import Testing

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

  /// Every effective value by its path, as `config show` prints it.
  func values(
    environment: [String: String] = [:], in directory: String? = nil
  ) throws -> [String: JSONValue] {
    let outcome = try SeedbankBinary.run(
      ["config", "show", "--config", file, "--json"], environment: environment, in: directory)
    try #require(outcome.status == 0, "\(outcome.errors)")
    let values = try JSONValue(parsing: Array(outcome.output.utf8))["values"]?.elements ?? []
    return values.reduce(into: [:]) { $0[$1["path"]?.string ?? ""] = $1["value"] }
  }

  /// The message of a command that rejects the configuration with exit code 78.
  func mistake(
    _ arguments: [String] = ["config", "show"], environment: [String: String] = [:]
  ) throws -> String {
    let outcome = try SeedbankBinary.run(arguments + ["--config", file], environment: environment)
    #expect(outcome.status == 78 && outcome.output.isEmpty)
    return String(outcome.errors.trimmingPrefix("Error: ").dropLast())
  }
}
