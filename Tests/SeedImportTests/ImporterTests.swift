import Foundation
import SeedDatabase
import SeedImport
import SeedSystem
import Support
import Testing

@Suite struct ImporterTests {
  private let folder: TemporaryFolder
  private let database: URL

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    database = URL(fileURLWithPath: folder("app.sqlite"))
    try Connection(database.path, .creator).execute(
      "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, born INTEGER)")
  }

  private func names() throws -> [String] {
    try Connection(database.path, .reader).rows("SELECT name FROM person ORDER BY id").map { $0[0].text }
  }

  @Test func `the first example of the documentation works`() async throws {
    let (databaseURL, jsonURL) = (database, URL(fileURLWithPath: folder("people.json")))
    try Data(#"[{"id": 1, "name": "Ada"}]"#.utf8).write(to: jsonURL)
    let importer = Importer(database: databaseURL)
    let report = try await importer.import(.file(jsonURL), mapping: ImportMapping("person"))
    #expect(report.tables["person"]?.inserted ?? 0 == 1)
  }

  @Test func `a table whose CHECK calls a JSON function can be written`() async throws {
    try Connection(database.path, .own).execute(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, extra TEXT CHECK (json_valid(extra)))")
    let report = try await Importer(database: database).import(
      .data(Data(#"[{"id": 1, "extra": "{}"}]"#.utf8)), mapping: ImportMapping("item"))
    #expect(report.tables["item"]?.inserted == 1)
  }

  @Test func `the mapping example of the documentation works`() async throws {
    let mapping = ImportMapping(
      TableMapping("person", names: .snakeToCamel, columns: ["born": .from("birth_date", .date())]),
      rows: "$.data.items")
    let json = Data(#"{"data": {"items": [{"id": 1, "name": "Ada", "birth_date": "1970-01-02"}]}}"#.utf8)
    _ = try await Importer(database: database).import(.data(json), mapping: mapping)
    let born = try Connection(database.path, .reader).integer("SELECT born FROM person")
    #expect(born == 86_400)
  }

  @Test func `CSV is supported, and rejected rows are passed on`() async throws {
    let kept = Mutex("")
    let csv = Data("id;name\n1;Ada\nx;Grace\n".utf8)
    let mapping = ImportMapping("person", layout: .csv(CSVFormat(delimiter: ";")))
    let importer = Importer(database: database)
    let report = try await importer.import(
      .data(csv), mapping: mapping, policy: ImportPolicy(badRows: .collect),
      rejected: { row in kept.withLock { $0 += String(decoding: row.value, as: UTF8.self) } })
    #expect(report.issues.first?.line == 3)
    #expect(kept.withLock { $0 } == #"{"id":"x","name":"Grace"}"#)
    #expect(try names() == ["Ada"])
  }

  @Test func `pages are requested until one is empty`() async throws {
    let asked = Mutex<[Int]>([])
    let source = ImportSource.pages { page in
      asked.withLock { $0.append(page) }
      return Data(
        (page < 3 ? #"{"items": [{"id": \#(page), "name": "p\#(page)"}]}"# : #"{"items": []}"#).utf8)
    }
    let report = try await Importer(database: database).import(
      source, mapping: ImportMapping("person", rows: "items"))
    #expect(report.rows == 2)
    #expect(try names() == ["p1", "p2"])
    #expect(asked.withLock { $0 } == [1, 2, 3])
  }

  @Test func `gzip is detected by its content in a file and in chunks`() async throws {
    let packed = try Compression.gzip(Array(#"[{"id": 1, "name": "Ada"}]"#.utf8))
    let file = URL(fileURLWithPath: folder("people"))
    try Data(packed).write(to: file)
    let importer = Importer(database: database)
    let first = try await importer.import(.file(file), mapping: ImportMapping("person"))
    #expect(first.tables["person"]?.inserted == 1)
    let pieces = AsyncStream<Data> { continuation in
      for byte in packed { continuation.yield(Data([byte])) }
      continuation.finish()
    }
    let second = try await importer.import(.chunks(pieces), mapping: ImportMapping("person"))
    #expect(second.tables["person"]?.unchanged == 1)
    let broken = URL(fileURLWithPath: folder("broken"))
    try Data(packed.dropLast(9)).write(to: broken)
    let failure = await #expect(throws: ImportFailure.self) {
      try await importer.import(.files([file, broken]), mapping: ImportMapping("person"))
    }
    #expect(failure?.code == .document && failure?.message.hasPrefix("broken: ") == true)
  }

  @Test func `a failing source leaves the database unchanged`() async throws {
    struct Offline: Error {}
    let source = ImportSource.pages { page in
      guard page == 1 else { throw Offline() }
      return Data(#"[{"id": 1, "name": "Ada"}]"#.utf8)
    }
    await #expect(throws: Offline.self) {
      try await Importer(database: database).import(source, mapping: ImportMapping("person"))
    }
    #expect(try names() == [])
  }

  @Test func `a missing second file names the rows that stay`() async throws {
    let file = URL(fileURLWithPath: folder("people.json"))
    try Data(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace"}]"#.utf8).write(to: file)
    let files = [file, URL(fileURLWithPath: folder("missing.json"))]
    let failure = await #expect(throws: ImportFailure.self) {
      try await Importer(database: database).import(
        .files(files), mapping: ImportMapping("person"),
        policy: ImportPolicy(atomicity: .batched(rows: 2)))
    }
    #expect(failure?.code == .io)
    #expect(failure?.message.contains("; 2 rows of the documents are committed and stay") == true)
    #expect(try names() == ["Ada", "Grace"])
  }

  @Test func `readers continue during an import and see all of it or nothing`() async throws {
    try Connection(database.path, .writer).execute("PRAGMA journal_mode = WAL")
    let reader = try Connection(database.path, .reader)
    let seen = Mutex<[Int64?]>([])
    let path = database.path
    let source = ImportSource.pages { page in
      let count = try Connection(path, .reader).integer("SELECT count(*) FROM person")
      seen.withLock { $0.append(count) }
      return Data((page < 3 ? #"[{"id": \#(page), "name": "x"}]"# : "[]").utf8)
    }
    _ = try await Importer(database: database).import(source, mapping: ImportMapping("person"))
    #expect(seen.withLock { $0 } == [0, 0, 0])
    #expect(try reader.integer("SELECT count(*) FROM person") == 2)
  }

  @Test func `a cancelled import leaves no rows`() async throws {
    let database = database
    let task = Task {
      let source = ImportSource.pages { page in
        withUnsafeCurrentTask { $0?.cancel() }
        return Data(#"[{"id": \#(page), "name": "x"}]"#.utf8)
      }
      return try await Importer(database: database).import(source, mapping: ImportMapping("person"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try names() == [])
  }

  @Test(.timeLimit(.minutes(1))) func `waiting for a pipe ends on cancellation`() async throws {
    let pipe = URL(fileURLWithPath: folder("pipe"))
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let writer = try FileHandle(forUpdating: pipe)
    try writer.write(contentsOf: Data(#"[{"id": 1, "name": "Ada"},"#.utf8))
    let cancelling = ImportConversion.custom { name in
      withUnsafeCurrentTask { $0?.cancel() }
      return name
    }
    let mapping = ImportMapping(TableMapping("person", columns: ["name": .from("name", cancelling)]))
    let task = Task { [database] in
      try await Importer(database: database).import(.file(pipe), mapping: mapping)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try writer.close()
  }

  @Test func `two imports of one importer run one after the other`() async throws {
    let importer = Importer(database: database)
    let reports = try await withThrowingTaskGroup(of: ImportReport.self) { group in
      for id in 1...4 {
        let json = Data(#"[{"id": \#(id), "name": "p\#(id)"}]"#.utf8)
        group.addTask { try await importer.import(.data(json), mapping: ImportMapping("person")) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reports.count == 4)
    #expect(try names() == ["p1", "p2", "p3", "p4"])
  }

  @Test func `waiting for another import ends on cancellation`() async throws {
    let importer = Importer(database: database)
    let (begun, beginnings) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      let source = ImportSource.pages { _ in
        beginnings.yield()
        try await Task.sleep(for: .seconds(3600))
        return Data()
      }
      return try await importer.import(source, mapping: ImportMapping("person"))
    }
    var beginning = begun.makeAsyncIterator()
    await beginning.next()
    let second = Task { try await importer.import(.data(Data("[]".utf8)), mapping: ImportMapping("person")) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
  }

  @Test func `an import does not create a missing database`() async throws {
    let missing = URL(fileURLWithPath: folder("missing.sqlite"))
    let error = await #expect(throws: ImportFailure.self) {
      try await Importer(database: missing).import(.data(Data("[]".utf8)), mapping: ImportMapping("person"))
    }
    #expect(error?.code == .io)
    #expect(!FileManager.default.fileExists(atPath: missing.path))
  }
  @Test func `a missing document is named and leaves the database unchanged`() async throws {
    let missing = URL(fileURLWithPath: folder("missing.json"))
    let error = await #expect(throws: ImportFailure.self) {
      try await Importer(database: database).import(.file(missing), mapping: ImportMapping("person"))
    }
    #expect(error?.code == .io)
    #expect(error?.message.contains(missing.path) == true)
    #expect(try names() == [])
  }
}
