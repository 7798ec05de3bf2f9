import Foundation
import SeedFormat
import SeedPublication
import SeedSigning
import SeedTrust
import Support

/// A deployment made by the real commands, with one table and some versions.
final class OperatedDeployment {
  let folder: TemporaryFolder
  /// Version N has N shops, and its first shop is called `name N`.
  static let versions = 3

  private static let template = FolderTemplate()

  /// `schema` is SQL for further parts of the origin. Copied deployments have the same keys, and an origin whose file is new to them.
  init(with schema: String = "", isCopied: Bool = true) throws {
    folder = try TemporaryFolder(inMemory: true)
    if schema.isEmpty && isCopied {
      try Self.template.fill(folder) { try make(schema) }
    } else {
      try make(schema)
    }
  }

  /// A copy of a deployment to which `add` adds something.
  init(_ template: FolderTemplate, _ add: (OperatedDeployment) throws -> Void) throws {
    folder = try TemporaryFolder(inMemory: true)
    try template.fill(folder) {
      try make("")
      try add(self)
    }
  }

  private func make(_ schema: String) throws {
    try origin(
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL); INSERT INTO shop VALUES (1, 'name 1', 1); \(schema)"
    )
    try folder.succeed("init", "my.sqlite")
    try folder.succeed("regenerate")
    for version in 2...Self.versions {
      try origin(
        "UPDATE shop SET name = 'name \(version)' WHERE id = 1; INSERT INTO shop VALUES (\(version), 'x', NULL)"
      )
      try folder.succeed("regenerate")
    }
  }

  func origin(_ sql: String) throws { try Tool.sqlite(folder("my.sqlite"), sql) }

  /// Adds a member to the dataset's configuration and publishes.
  func configure(_ member: String) throws {
    let file = folder("seedbank/my/dataset.json")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try "{\(member), \(text.drop { $0 != "{" }.dropFirst())".write(
      toFile: file, atomically: false, encoding: .utf8)
    try folder.succeed("regenerate")
  }

  var publication: PublicationDirectory { PublicationDirectory(folder("seedbank/publication")) }

  func keys() throws -> KeyRing {
    KeyRing(
      try Dictionary(
        uniqueKeysWithValues: KeyRole.allCases.map {
          ($0, [try KeyFile(reading: folder("seedbank/keys/\($0.rawValue).key")).key])
        }))
  }

  func seedbank(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramOutcome {
    try SeedbankBinary.run(arguments, environment: environment, in: folder.path)
  }

  func json(_ arguments: String...) throws -> [JSONValue] {
    let outcome = try SeedbankBinary.run(arguments + ["--json"], in: folder.path)
    return try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }
}
