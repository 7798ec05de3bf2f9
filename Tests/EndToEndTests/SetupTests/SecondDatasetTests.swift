import Foundation
import SeedFormat
import Support
import Testing

@Suite struct SecondDatasetTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    try folder.sqlite("my.sqlite", "CREATE TABLE shop(id INTEGER PRIMARY KEY); INSERT INTO shop VALUES (1)")
    try folder.sqlite(
      "Parks 2.sqlite", "CREATE TABLE park(id INTEGER PRIMARY KEY); INSERT INTO park VALUES (1)")
    #expect(try folder.seedbank("init", "my.sqlite").status == 0)
    #expect(try folder.seedbank("regenerate").status == 0)
    return folder
  }

  @Test func `init adds another file as a second dataset, and both are published`() throws {
    let folder = try folder()
    let root = try folder.text("seedbank/root.json")
    try folder.seedbank("init", "Parks 2.sqlite").expect(
      0, output: "/seedbank/parks-2/models/1.0/schema.sql: 1 table")
    #expect(try folder.text("seedbank/seedbank.json").contains("\"datasets\": [\"my\", \"parks-2\"]"))
    #expect(try folder.text("seedbank/root.json") == root)
    #expect(try folder.seedbank("regenerate").output.contains("parks-2/1: version 1 created"))
    #expect(try folder.seedbank("verify").status == 0)
  }

  @Test func `init inside a deployment's folder adds to that deployment`() throws {
    let folder = try folder()
    let outcome = try SeedbankBinary.run(["init", "../Parks 2.sqlite"], in: folder("seedbank"))
    #expect(outcome.status == 0 && folder.exists("seedbank/parks-2/dataset.json"))
    #expect(!folder.exists("seedbank/seedbank"))
  }

  @Test func `comments and settings of seedbank.json are kept`() throws {
    let folder = try folder()
    let text = try folder.text("seedbank/seedbank.json")
      .replacing("{\n  \"publication\"", with: "{\n  \"$comment\": \"Ours\",\n  \"publication\"")
      .replacing("8080", with: "8181")
    try folder.write(text, to: "seedbank/seedbank.json")
    #expect(try folder.seedbank("init", "Parks 2.sqlite").status == 0)
    #expect(
      try folder.text("seedbank/seedbank.json") == text.replacing("[\"my\"]", with: "[\"my\", \"parks-2\"]"))
  }

  @Test func `without the targets key the first dataset is published, and the second waits for the key`()
    throws
  {
    let folder = try folder()
    try Tool.run(["sh", "-ec", "mkdir stick; mv seedbank/keys/targets.key stick"], in: folder.path)
    #expect(try folder.seedbank("init", "Parks 2.sqlite").status == 0)
    try folder.sqlite("my.sqlite", "INSERT INTO shop VALUES (2)")
    try folder.seedbank("regenerate").expect(
      78, "keys renew targets --with FOLDER", output: "my/1: version 2,")
    #expect(try folder.seedbank("keys", "renew", "targets", "--with", "stick").status == 0)
    #expect(try folder.seedbank("regenerate").output.contains("parks-2/1: version 1 created"))
  }

  @Test(arguments: [
    (["init", "my.sqlite"], 78, "has a dataset my already"),
    (["init", "Parks 2.sqlite", "--dataset", "publication"], 64, "a name other than"),
    (["init", "Parks 2.sqlite", "--root-keys", "3"], 64, "has its keys"),
    (["init", "Parks 2.sqlite", "--dataset", "taken"], 78, "taken exists and is never overwritten"),
    (["init", "none.sqlite"], 69, "no origin database"),
  ])
  func `a failed init changes nothing`(words: [String], status: Int32, message: String) throws {
    let folder = try folder()
    try folder.makeFolder("seedbank/taken")
    let (files, text) = (folder.files, try folder.text("seedbank/seedbank.json"))
    let outcome = try SeedbankBinary.run(words, in: folder.path)
    #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try folder.files == files && folder.text("seedbank/seedbank.json") == text)
  }

  @Test func `a failure in the middle of init leaves the deployment unchanged`() throws {
    let folder = try folder()
    let before = folder.files
    // A folder at the temporary file's path makes the update of seedbank.json fail.
    try folder.makeFolder("seedbank/seedbank.json.tmp")
    #expect(try folder.seedbank("init", "Parks 2.sqlite").status != 0)
    try folder.remove("seedbank/seedbank.json.tmp")
    #expect(folder.files == before)
    #expect(try folder.seedbank("init", "Parks 2.sqlite").status == 0)
  }
}
