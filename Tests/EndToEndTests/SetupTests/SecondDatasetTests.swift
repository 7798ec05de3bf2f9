import SeedFormat
import Support
import Testing

@Suite struct SecondDatasetTests {
  private static let template = FolderTemplate()

  /// Has a published dataset `my` and the file of another one.
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Self.template.fill(folder) { [folder] in
      try folder.sqlite("my.sqlite", "CREATE TABLE shop(id INTEGER PRIMARY KEY); INSERT INTO shop VALUES (1)")
      try folder.sqlite(
        "Parks 2.sqlite", "CREATE TABLE park(id INTEGER PRIMARY KEY); INSERT INTO park VALUES (1)")
      try folder.succeed("init", "my.sqlite")
      try folder.succeed("regenerate")
    }
  }

  @Test func `init adds a second dataset, keeps comments and settings, and both are published`() throws {
    let root = try folder.text("seedbank/root.json")
    let text = try folder.text("seedbank/seedbank.json")
      .replacing("{\n  \"publication\"", with: "{\n  \"$comment\": \"Ours\",\n  \"publication\"")
      .replacing("8080", with: "8181")
    #expect(text.contains("\"$comment\"") && text.contains("8181"))
    try folder.write(text, to: "seedbank/seedbank.json")
    try folder.seedbank("init", "Parks 2.sqlite").expect(
      0, output: "/seedbank/parks-2/models/1.0/schema.sql: 1 table")
    #expect(
      try folder.text("seedbank/seedbank.json")
        == text.replacing("\"datasets\": [\"my\"]", with: "\"datasets\": [\"my\", \"parks-2\"]"))
    #expect(try folder.text("seedbank/root.json") == root)
    #expect(try folder.succeed("regenerate").contains("parks-2/1: version 1 created"))
    try folder.succeed("verify")
  }

  @Test func `an init that was killed before it listed the dataset can be repeated`() throws {
    let text = try folder.text("seedbank/seedbank.json")
    try folder.succeed("init", "Parks 2.sqlite")
    // The state of a process that was killed between its last two writes.
    try folder.write(text, to: "seedbank/seedbank.json")
    try folder.succeed("init", "Parks 2.sqlite")
    #expect(try folder.succeed("regenerate").contains("parks-2/1: version 1 created"))
    try folder.write(text, to: "seedbank/seedbank.json")
    try folder.write("{}", to: "seedbank/parks-2/dataset.json")
    try folder.seedbank("init", "Parks 2.sqlite").expect(78, "parks-2 exists and is never overwritten")
    #expect(try folder.text("seedbank/parks-2/dataset.json") == "{}")
  }

  @Test func `datasets that are added at the same time are all listed`() throws {
    let names = ["a", "b", "c", "d", "e"]
    let programs = try names.map {
      try TestProgram([SeedbankBinary.path, "init", "Parks 2.sqlite", "--dataset", $0], in: folder.path)
    }
    for program in programs { #expect(try program.wait() == .exited(0), "\(program.errors)") }
    let listed = try JSONValue(parsing: Array(folder.text("seedbank/seedbank.json").utf8))["datasets"]
    #expect(listed?.elements?.compactMap(\.string).sorted() == names + ["my"])
  }

  @Test func `init inside a deployment's folder adds to that deployment`() throws {
    try SeedbankBinary.succeed(["init", "../Parks 2.sqlite"], in: folder("seedbank"))
    #expect(folder.exists("seedbank/parks-2/dataset.json") && !folder.exists("seedbank/seedbank"))
  }

  @Test func `without the targets key the first dataset is published, and the second waits for the key`()
    throws
  {
    try Tool.run(["sh", "-ec", "mkdir stick; mv seedbank/keys/targets.key stick"], in: folder.path)
    try folder.succeed("init", "Parks 2.sqlite")
    try folder.sqlite("my.sqlite", "INSERT INTO shop VALUES (2)")
    try folder.seedbank("regenerate").expect(
      78, "keys renew targets --with FOLDER", output: "my/1: version 2,")
    try folder.succeed("keys", "renew", "targets", "--with", "stick")
    #expect(try folder.succeed("regenerate").contains("parks-2/1: version 1 created"))
  }

  @Test func `an init that is rejected or fails in the middle changes nothing`() throws {
    try folder.makeFolder("seedbank/taken")
    let before = folder.files
    let text = try folder.text("seedbank/seedbank.json")
    func expectUnchanged(_ words: [String]) throws {
      #expect(try folder.files == before && folder.text("seedbank/seedbank.json") == text, "\(words)")
    }
    for (words, status, message) in Self.rejected {
      try SeedbankBinary.run(["init"] + words, in: folder.path).expect(status, message)
      try expectUnchanged(words)
    }
    // A folder at the temporary file's path makes the update of seedbank.json fail.
    try folder.makeFolder("seedbank/seedbank.json.tmp")
    #expect(try folder.seedbank("init", "Parks 2.sqlite").status != 0)
    try folder.remove("seedbank/seedbank.json.tmp")
    try expectUnchanged(["the middle"])
    try folder.succeed("init", "Parks 2.sqlite")
  }

  private static let rejected: [([String], Int32, String)] = [
    (["my.sqlite"], 78, "already has a dataset my"),
    (["Parks 2.sqlite", "--dataset", "publication"], 64, "a name other than"),
    (["Parks 2.sqlite", "--root-keys", "3"], 64, "has its keys"),
    (["Parks 2.sqlite", "--dataset", "taken"], 78, "taken exists and is never overwritten"),
    (["none.sqlite"], 69, "no origin database"),
  ]
}
