import Foundation
import SeedSystem
import Support
import Testing

/// An import dies at any file operation while a long row is spilled to a temporary file.
@Suite(.serialized) struct ImportLongRowFaultTests {
  private static let sample = 12
  /// More bytes than SQLite keeps of a temporary database in memory.
  private static let (children, nameBytes) = (12_000, 300)

  private let folder: TemporaryFolder
  private let arguments = [
    "import", "event.json", "--database", "app.sqlite", "--mapping", "map.json", "--accept-shrink",
  ]

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Tool.sqlite(
      folder("saved.sqlite"),
      """
      CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE seat(id INTEGER PRIMARY KEY, event INTEGER REFERENCES event(id), name TEXT UNIQUE);
      CREATE INDEX seat_event ON seat(event);
      INSERT INTO event VALUES (1, 'old');
      INSERT INTO seat SELECT value * 3, 1, 'old ' || value FROM generate_series(1, 5000);
      """)
    let seats = (1...Self.children).map { number in
      #"{"id":\#(number),"name":"\#(number) \#(String(repeating: "x", count: Self.nameBytes))"}"#
    }
    try #"[{"seats":[\#(seats.joined(separator: ","))],"id":1,"name":"new"}]"#
      .write(toFile: folder("event.json"), atomically: false, encoding: .utf8)
    try """
    {"table": "event", "relations": [
      {"array": "seats", "table": {"table": "seat"}, "parentKey": "event", "mode": "replaceForParent"}]}
    """.write(toFile: folder("map.json"), atomically: false, encoding: .utf8)
  }

  private func restore() throws {
    try Tool.run(["rm", "-f"] + ["", "-journal", "-wal", "-shm"].map { folder("app.sqlite\($0)") })
    try Tool.run(["cp", folder("saved.sqlite"), folder("app.sqlite")])
  }

  private func state() throws -> String {
    try Tool.sqlite(
      folder("app.sqlite"),
      "PRAGMA integrity_check; SELECT name FROM event; SELECT count(*), min(name), max(id), sum(length(name)) FROM seat"
    )
  }

  @Test func `an import of a long row that dies leaves all or nothing, and the same command completes it`()
    throws
  {
    let injector = try FaultInjector()
    try restore()
    let before = try state()
    let count = try injector.count(arguments, in: folder.path)
    let after = try state()
    #expect(after.contains("new\n12000|"), "\(after)")
    for fault in FaultInjector.Fault.allCases {
      for point in FaultInjector.points(count, sample: Self.sample) {
        try restore()
        let outcome = try injector.run(arguments, fault, at: point, in: folder.path)
        let what = "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)"
        #expect(try [before, after].contains(state()), "\(what)")
        try SeedbankBinary.succeed(arguments, in: folder.path)
        #expect(try state() == after, "\(what): running it again does not complete it")
      }
    }
  }
}
