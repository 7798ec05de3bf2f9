import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

/// The file of an import's rejected rows, even of an import in batches.
@Suite struct ImportFileTests {
  private let folder: ImportFolder

  init() throws {
    folder = try ImportFolder("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
  }

  private func run(_ name: String, _ options: String...) throws -> ProgramOutcome {
    try folder.run([name] + options)
  }

  // MARK: Rejected rows

  @Test(arguments: [
    "app.sqlite", "app.sqlite-wal", "app.sqlite-journal", "app.sqlite-shm", "stops.json", "map.json",
    "link.json", "hard.json", "./../\(#"<folder>"#)/stops.json",
  ])
  func `rejected rows overwrite no file of the import`(name: String) throws {
    try folder.write(#"[{"id": 1, "name": "a"}, {"id": "x"}]"#, "stops.json")
    try folder.write(#"{"table": "stop"}"#, "map.json")
    try FileManager.default.createSymbolicLink(
      atPath: folder("link.json"), withDestinationPath: folder("stops.json"))
    try FileManager.default.linkItem(atPath: folder("stops.json"), toPath: folder("hard.json"))
    let name = name.replacingOccurrences(
      of: "<folder>", with: URL(fileURLWithPath: folder.path).lastPathComponent)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    try run("stops.json", "--mapping", "map.json", "--bad-rows", "skip", "--rejects", name).expect(
      64, "choose another file with --rejects")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    #expect(try folder.read("stops.json").hasPrefix("[{"))
    #expect(try folder.read("map.json").hasPrefix("{"))
  }

  @Test func `rejected rows are kept if the import fails, and earlier ones if it read nothing`() throws {
    try folder.write(#"[{"id": 1, "name": "a"}, {"id": "x"}]"#, "stops.json")
    try run("stops.json", "--table", "stop", "--rejects", "bad.ndjson").expect(65)
    #expect(try folder.read("bad.ndjson").contains(#""value":{"id":"x"}"#))
    try run("none.json", "--table", "stop", "--rejects", "bad.ndjson").expect(74)
    #expect(try folder.read("bad.ndjson").contains(#""value":{"id":"x"}"#))
    try folder.write(#"[{"id": 1, "name": "a"}]"#, "stops.json")
    #expect(try run("stops.json", "--table", "stop", "--rejects", "bad.ndjson").status == 0)
    #expect(try folder.read("bad.ndjson") == "")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test func `rejected rows can go to a pipe, and a device is not replaced`() throws {
    try folder.write(#"[{"id": 1, "name": "a"}, {"id": "x"}]"#, "stops.json")
    try run("stops.json", "--table", "stop", "--bad-rows", "skip", "--rejects", "/dev/stdout").expect(
      0, output: #""value":{"id":"x"}"#)
    #expect(try run("stops.json", "--table", "stop", "--rejects", "/dev/null").status == 65)
    #expect(try FileStamp("/dev/null")?.isRegular == false)
  }

  // MARK: Batches

  @Test func `the file has all rejected rows, even after an interrupted import is repeated`() throws {
    let start = #"{"id":1,"name":"a"}"# + "\n" + #"{"id":"x"}"# + "\n" + #"{"id":2,"name":"b"}"# + "\n"
    let options = ["--table", "stop", "--batch", "3", "--bad-rows", "skip", "--rejects", "bad.ndjson"]
    // Broken references are checked last, and so end the import after its first batch.
    try folder.execute("ALTER TABLE stop ADD COLUMN other INTEGER REFERENCES none(id)")
    try folder.execute("CREATE TABLE none(id INTEGER PRIMARY KEY)")
    try folder.write(
      start.replacingOccurrences(of: #""b""#, with: #""b","other":7"#) + #"{"id":"y"}"#, "stops.ndjson")
    try folder.run(["stops.ndjson"] + options).expect(65)
    #expect(try folder.read("bad.ndjson").split(separator: "\n").count == 2)
    try folder.execute("INSERT INTO none VALUES (7)")
    try folder.run(["stops.ndjson"] + options).expect(0)
    let values = try folder.read("bad.ndjson").split(separator: "\n").map {
      try JSONValue(parsing: Array($0.utf8))["value"]
    }
    #expect(values.map { $0?["id"]?.string } == ["x", "y"])
  }
}
