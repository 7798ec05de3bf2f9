import Foundation
import SeedFormat
import Support
import Testing

/// The workloads of five articles about importing JSON, run with the real command. A Python script computes the
/// expected rows with plain dictionaries, and reads the database with its own SQLite.
@Suite struct ImportArticleTests {
  struct Article: Sendable, CustomTestStringConvertible {
    /// The name in the script.
    let name: String
    /// The imports in order.
    let steps: [String]
    let schema: String
    let mapping: String
    var testDescription: String { name }
  }

  static let articles = [chat, persons, feed, pages, firebase]

  @Test(.full, arguments: articles)
  func `each document of an article leads to the rows that plain dictionaries have`(article: Article) throws {
    let folder = try TemporaryFolder()
    try Tool.sqlite(folder("app.sqlite"), article.schema)
    try article.mapping.write(toFile: folder("map.json"), atomically: false, encoding: .utf8)
    try Self.script(["write", article.name, folder.path])
    for count in 1...article.steps.count {
      let step = article.steps[count - 1]
      try Self.take(step, folder)
      try Self.script(
        ["check", article.name, folder.path, folder("app.sqlite")] + article.steps.prefix(count))
      let again = try Self.take(step, folder)
      let changes = ["inserted", "updated", "deleted"]
      #expect(again.allSatisfy { table in changes.allSatisfy { table.value[$0] == 0 } }, "\(step): \(again)")
    }
  }

  /// Imports and returns the report's tables.
  @discardableResult
  private static func take(_ step: String, _ folder: TemporaryFolder) throws -> [JSONMember] {
    let output = try SeedbankBinary.succeed(
      ["import", step, "--database", "app.sqlite", "--mapping", "map.json", "--json"], in: folder.path)
    return try JSONValue(parsing: Array(output.utf8))["tables"]?.members ?? []
  }

  private static func script(_ arguments: [String]) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "article_tables.py")
    try Tool.run([Tool.python, file.path] + arguments)
  }

  // MARK: The articles

  static let chat = Article(
    name: "chat", steps: ["first.json", "second.json"],
    schema: """
      CREATE TABLE channel(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE user(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE member(channel TEXT NOT NULL REFERENCES channel(id), user TEXT NOT NULL REFERENCES user(id),
        role TEXT, PRIMARY KEY (channel, user)) WITHOUT ROWID;
      CREATE TABLE message(id TEXT PRIMARY KEY NOT NULL, channel TEXT NOT NULL REFERENCES channel(id),
        user TEXT NOT NULL REFERENCES user(id), text TEXT, created TEXT);
      CREATE INDEX message_channel ON message(channel);
      CREATE TABLE reaction(message TEXT NOT NULL REFERENCES message(id) ON DELETE CASCADE, type TEXT NOT NULL,
        user TEXT NOT NULL REFERENCES user(id), PRIMARY KEY (message, type, user));
      CREATE TABLE read(channel TEXT NOT NULL REFERENCES channel(id), user TEXT NOT NULL REFERENCES user(id),
        last INTEGER, PRIMARY KEY (channel, user));
      """,
    mapping: """
      {
        "table": "channel", "rows": "$.channels", "columns": {"id": "channel.id", "name": "channel.name"},
        "relations": [
          {"array": "members", "mode": "replaceForParent", "parentKey": "channel", "table": {
            "table": "member", "relations": [{"object": "user", "foreignKey": "user", "table": "user"}]}},
          {"array": "messages", "mode": "replaceForParent", "parentKey": "channel", "table": {
            "table": "message", "columns": {"created": "created_at"}, "relations": [
              {"object": "user", "foreignKey": "user", "table": "user"},
              {"array": "reactions", "mode": "replaceForParent", "parentKey": "message", "table": {
                "table": "reaction", "relations": [{"object": "user", "foreignKey": "user", "table": "user"}]}}]}},
          {"array": "read", "mode": "replaceForParent", "parentKey": "channel", "table": {
            "table": "read", "relations": [{"object": "user", "foreignKey": "user", "table": "user"}]}}
        ]
      }
      """)

  static let persons = Article(
    name: "persons", steps: ["cold.json", "hot.json"],
    schema: """
      CREATE TABLE person(id INTEGER PRIMARY KEY, firstName TEXT, born INTEGER);
      CREATE TABLE phone(id INTEGER PRIMARY KEY, person INTEGER NOT NULL REFERENCES person(id), number TEXT);
      CREATE INDEX phone_person ON phone(person);
      """,
    mapping: """
      {"table": "person", "names": "snakeToCamel",
       "relations": [{"array": "phones", "table": {"table": "phone"}, "parentKey": "person"}]}
      """)

  /// The folder has an additional file that no list names.
  static let feed = Article(
    name: "feed", steps: ["feed"], schema: ImportFeedTests.schema, mapping: ImportFeedTests.mapping)

  static let pages = Article(
    name: "pages", steps: ["pages"],
    schema:
      "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, rank REAL, next INTEGER REFERENCES item(id));",
    mapping: #"{"table": "item", "rows": "$.items"}"#)

  static let firebase = Article(
    name: "firebase", steps: ["first.json", "second.json"],
    schema: """
      CREATE TABLE room(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE thread(id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL REFERENCES room(id), title TEXT);
      CREATE TABLE post(id TEXT PRIMARY KEY NOT NULL, thread TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
        text TEXT, author TEXT, stars INTEGER);
      CREATE TABLE user(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE member(room TEXT NOT NULL REFERENCES room(id), user TEXT NOT NULL REFERENCES user(id),
        PRIMARY KEY (room, user)) WITHOUT ROWID;
      """,
    mapping: """
      {"lists": [
        {"table": "room", "rows": "$.rooms", "layout": "dictionary", "keyColumn": "id", "relations": [
          {"dictionary": "threads", "keyColumn": "id", "parentKey": "room", "mode": "replaceForParent", "table": {
            "table": "thread", "relations": [
              {"dictionary": "posts", "keyColumn": "id", "parentKey": "thread", "mode": "replaceForParent",
               "table": {"table": "post"}}]}},
          {"join": "members", "layout": "dictionary", "table": {"table": "user"}, "through": "member",
           "parentKey": "room", "elementKey": "user", "mode": "replaceForParent"}]},
        {"table": "user", "rows": "$.users", "layout": "dictionary", "keyColumn": "id"}]}
      """)
}
