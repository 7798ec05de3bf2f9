import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

@Suite struct ConnectionTests {
  private func openings(of path: String) throws -> Int {
    let descriptors = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == path
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `a released connection closes its file even with cached statements`() throws {
    let folder = try TemporaryFolder()
    let path = folder("a.sqlite")
    do {
      let connection = try Connection(path, .creator)
      try connection.execute("CREATE TABLE t(a)")
      try connection.execute("INSERT INTO t VALUES (?)", .integer(1))
      #expect(try openings(of: path) == 1)
    }
    #expect(try openings(of: path) == 0)
  }

  @Test func `only the schema of an app's own database is trusted`() throws {
    let folder = try TemporaryFolder()
    let path = folder("a.sqlite")
    try Connection(path, .creator).execute("CREATE TABLE t(a)")
    let trust = { (mode: Connection.OpenMode) in
      try Connection(path, mode).integer("PRAGMA trusted_schema")
    }
    #expect(try trust(.own) == 1)
    for mode in [Connection.OpenMode.writer, .creator, .snapshot, .reader, .memory, .received, .seed] {
      #expect(try trust(mode) == 0)
    }
  }

  @Test(arguments: ["#\u{FE0F}\u{20E3}", "?\u{301}", "%25"])
  func `a file is opened whatever its folder's name`(name: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: false)
    let path = folder("\(name)/a.sqlite")
    try Connection(path, .creator).execute("CREATE TABLE t(a)")
    #expect(try Connection(path, .snapshot).integer("SELECT count(*) FROM t") == 0)
  }

  @Test func `damage is reported while the journal is in memory`() throws {
    let connection = try Connection("scratch", .scratch)
    try connection.execute("CREATE TABLE d(a); CREATE VIRTUAL TABLE f USING fts5(a, content='d'); BEGIN")
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO f(f, rowid, a) VALUES ('delete', 1, 'x')")
    }
    #expect(error?.saysDamage == true, "\(error as Any)")
  }

  @Test func `a statement outlives its connection and can still read`() throws {
    func statement() throws -> Statement {
      let connection = try Connection("rows", .scratch)
      try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
      _ = try connection.cached("SELECT a FROM t").step()
      return try connection.prepare("SELECT a FROM t ORDER BY a DESC")
    }
    let rows = try statement()
    #expect(try rows.step() && rows.row() == [.integer(2)])
    #expect(try rows.step() && rows.row() == [.integer(1)])
    #expect(rows.path == "rows")
  }

  @Test func `a lack of file descriptors is distinguished from a missing file`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder("a.sqlite")
      let connection = try Connection(path, .creator)
      let missing = #expect(throws: DatabaseError.self) { try Connection(folder("b/b.sqlite"), .writer) }
      #expect(missing?.saysNotOpened == true && missing?.saysExhausted == false)
      var usual = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
      var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      let opening = #expect(throws: DatabaseError.self) { try Connection(path, .snapshot) }
      let writing = #expect(throws: DatabaseError.self) { try connection.execute("CREATE TABLE t(a)") }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
      for error in [opening, writing] {
        #expect(error?.place == .descriptors && error?.saysNotOpened == false)
      }
    }
  }

  @Test func `a failed transaction is rolled back and the connection stays usable`() throws {
    let connection = try Connection("test", .memory)
    try connection.execute("CREATE TABLE t(a PRIMARY KEY)")
    #expect(throws: DatabaseError.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (?)", .integer(1))
        try connection.execute("INSERT INTO t VALUES (?)", .integer(1))
      }
    }
    #expect(!connection.isInTransaction)
    try connection.transaction { try connection.execute("INSERT INTO t VALUES (?)", .integer(1)) }
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `an endless statement fails when its task is cancelled`() async {
    let counting = Task {
      let connection = try Connection("test", .memory)
      connection.endWithTask()
      withUnsafeCurrentTask { $0?.cancel() }
      try connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    }
    await #expect(throws: DatabaseError.self) { try await counting.value }
  }
}
