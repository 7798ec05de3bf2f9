import Foundation
import SeedFormat
import Support
import Testing

/// A deployment published and served by the real command, with the package's page.
final class PageScene {
  let folder: TemporaryFolder
  private(set) var server: RunningSeedbank

  static let pages = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Public").path

  static let schema = """
    CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL, picture BLOB, visits INTEGER);
    CREATE TABLE word(text TEXT PRIMARY KEY, weight REAL) WITHOUT ROWID;
    """

  /// - Parameter versions: the SQL for each further version.
  init(_ schema: String = schema, versions: [String] = [], configured members: String? = nil) throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Self.template(for: [schema, members ?? ""] + versions).fill(folder) {
      try Tool.sqlite(folder("my.sqlite"), schema)
      try folder.succeed("init", "my.sqlite")
      if let members { try Self.configure(members, folder("seedbank/my/dataset.json")) }
      try folder.succeed("regenerate")
      for sql in versions {
        try Tool.sqlite(folder("my.sqlite"), sql)
        try folder.succeed("regenerate")
      }
    }
    self.folder = folder
    server = try RunningSeedbank(
      ["run", "--port", "0", "--public", Self.pages], in: folder.path, environment: ["PATH": "/usr/bin:/bin"])
  }

  private static let templates = Shared<[[String]: FolderTemplate]>([:])

  private static func template(for texts: [String]) -> FolderTemplate {
    templates.withLock { templates in
      let template = templates[texts, default: FolderTemplate()]
      templates[texts] = template
      return template
    }
  }

  private static func configure(_ members: String, _ file: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try "{\(members), \(text.drop { $0 != "{" }.dropFirst())".write(
      toFile: file, atomically: false, encoding: .utf8)
  }

  var address: String { server.address }

  func change(_ sql: String) throws { try Tool.sqlite(folder("my.sqlite"), sql) }

  func endServer() { _ = server.stop() }

  func startServer(port: UInt16) throws {
    server = try RunningSeedbank(
      ["run", "--port", "\(port)", "--public", Self.pages], in: folder.path,
      environment: ["PATH": "/usr/bin:/bin"])
  }

  func json(_ target: String) throws -> JSONValue {
    try JSONValue(parsing: RawClient(port: server.port).get(target).body)
  }

  func series() throws -> JSONValue {
    try #require(json("/v1/my")["series"]?.elements?.first)
  }

  func facts() throws -> JSONValue { try json("/v1/my/facts?model=1.0") }

  func waitForFacts(of version: Int) throws {
    try waitUntil("facts of version \(version)", every: 0.01) {
      let facts = try RawClient(port: server.port).get("/v1/my/facts?model=1.0")
      guard facts.status == 200, let json = try? JSONValue(parsing: facts.body) else { return false }
      return json["steps"]?.elements?.contains { $0["to"]?.integer == version } == true
    }
  }
}
