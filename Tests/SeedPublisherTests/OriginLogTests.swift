import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Steps that find changes in the origin's log. After each, an audit compares all rows: it must find no difference, and
/// the log must have named every changed row.
@Suite struct OriginLogTests {
  static let histories = Stage.pick(quick: 2, full: 60, deep: 2000)
  private static let steps = 12

  // MARK: Helpers

  private static let origin = """
    CREATE TABLE zone(code TEXT PRIMARY KEY COLLATE NOCASE, title TEXT UNIQUE);
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE, spot, zone TEXT REFERENCES zone(code)
      ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE UNIQUE INDEX spots ON stop(spot) WHERE spot IS NOT NULL;
    CREATE TABLE call(stop INTEGER REFERENCES stop(id) ON DELETE CASCADE, turn INTEGER, time TEXT, seat INTEGER UNIQUE,
      PRIMARY KEY (stop, turn)) WITHOUT ROWID;
    CREATE TABLE word(word TEXT PRIMARY KEY, n INTEGER, UNIQUE(n, word));
    CREATE VIEW busy AS SELECT stop AS id, count(*) AS calls FROM call GROUP BY stop;
    """

  private static let schema = """
    CREATE TABLE zone(code TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, spot, zone TEXT);
    CREATE TABLE call(stop INTEGER, turn INTEGER, time TEXT, PRIMARY KEY (stop, turn)) WITHOUT ROWID;
    CREATE TABLE word(word TEXT PRIMARY KEY, n INTEGER);
    CREATE TABLE busy(id INTEGER PRIMARY KEY, calls INTEGER);
    CREATE TABLE named(id INTEGER PRIMARY KEY, title TEXT);
    """

  private static let named = "SELECT stop.id, zone.title FROM stop JOIN zone ON zone.code = stop.zone"

  private let deployment: TestDeployment

  init() throws {
    let models = [model("1.0", Self.schema, projections: ["named": Self.named])]
    deployment = try TestDeployment(models, in: try TemporaryFolder(inMemory: true))
    deployment.job.shrinkGuard.percent = 100
    try deployment.origin(Self.origin)
    try setUp()
    deployment.job.policy.changes = .log
    deployment.job.policy.auditSeconds = 86_400
    _ = try deployment.step()
    _ = try deployment.step()
  }

  private func setUp() throws {
    let connection = try Connection(deployment.originPath, .own)
    let draft = try SQLiteLogDraft(connection)
    try connection.transaction { for statement in draft.statements { try connection.execute(statement) } }
  }

  /// Writes like an operator's program: with triggers and foreign keys, in one transaction.
  private func write(_ sql: String) throws {
    let connection = try Connection(deployment.originPath, .own)
    let triggers = try TriggerSwitch(connection, areRunning: true)
    defer { withExtendedLifetime(triggers) {} }
    try connection.execute("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = OFF")
    do throws(DatabaseError) {
      try connection.execute("BEGIN; \(sql); COMMIT")
    } catch {
      // A constraint violation, as programs meet it. Commit or roll back the statements before it.
      guard error.primaryCode == ResultCode.constraint else { throw error }
      try connection.execute(sql.utf8.count.isMultiple(of: 2) ? "COMMIT" : "ROLLBACK")
    }
  }

  private func step() throws -> SeriesReport { try deployment.step().series[0] }

  private var origin: Connection { get throws { try Connection(deployment.originPath, .origin) } }

  /// The first value of a query of the origin.
  private func found(_ sql: String) throws -> String { try #require(try origin.value(sql)).text }

  /// The log of the table of words.
  private func wordLog() throws -> String {
    let number = try origin.integer("SELECT number FROM seedbank_logged WHERE source = 'word'")
    return LogParts.log(Int(try #require(number)))
  }

  /// A full comparison right after a step must find nothing.
  private func audit(_ place: String = "") throws {
    deployment.job.policy.auditSeconds = 0
    defer { deployment.job.policy.auditSeconds = 86_400 }
    let report = try deployment.step()
    #expect(report.series[0].outcome == .unchanged, "\(place): \(report.series[0].changes)")
    #expect(report.series[0].foundBy?.way == .audit, "\(place)")
    #expect(report.warnings.isEmpty, "\(place): \(report.warnings)")
  }

  // MARK: Random histories

  private static func statement(_ random: inout SplitMix) -> String {
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    func text() -> String {
      "'" + ["a", "A", "b", "B", "aa", "ä", "", "33"].randomElement(using: &random)! + "'"
    }
    func value() -> String {
      ["\(number(5))", text(), "NULL", "1.5", "x'00'"].randomElement(using: &random)!
    }
    let or = ["", "OR REPLACE ", "OR IGNORE ", "OR REPLACE "].randomElement(using: &random)!
    switch number(16) {
    case 0: return "INSERT \(or)INTO zone VALUES (\(text()), \(value()))"
    case 1: return "UPDATE \(or)zone SET code = \(text()) WHERE code = \(text())"
    case 2: return "DELETE FROM zone WHERE code = \(text())"
    case 3, 4:
      return
        "INSERT \(or)INTO stop VALUES (\(number(9)), \(text()), \(value()), (SELECT min(code) FROM zone))"
    case 5: return "UPDATE \(or)stop SET name = \(text()), spot = \(value()) WHERE id = \(number(9))"
    case 6: return "UPDATE \(or)stop SET id = id + \(number(3)) WHERE id > \(number(9))"
    case 7: return "DELETE FROM stop WHERE id = \(number(9))"
    case 8: return "INSERT \(or)INTO call SELECT id, \(number(3)), \(text()), \(number(9)) FROM stop"
    case 9: return "UPDATE \(or)call SET seat = \(number(9)), turn = turn + 1 WHERE stop = \(number(9))"
    case 10: return "DELETE FROM call WHERE turn = \(number(3))"
    case 11: return "INSERT \(or)INTO word(rowid, word, n) VALUES (\(number(6)), \(text()), \(number(3)))"
    case 12: return "UPDATE \(or)word SET rowid = \(number(6)), n = \(number(3)) WHERE word = \(text())"
    case 13: return "INSERT INTO word VALUES (\(text()), 1) ON CONFLICT(word) DO UPDATE SET n = n + 1"
    case 14: return "DELETE FROM word"
    default: return "UPDATE stop SET zone = NULL"
    }
  }

  @Test(arguments: 0..<histories)
  func `a log names every changed row whatever writers do`(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var byLog = 0
    for number in 0..<Self.steps {
      var sql: [String] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) { sql.append(Self.statement(&random)) }
      for statement in sql { try write(statement) }
      let report = try step()
      // A step may skip a file without any write.
      let isUntouched = report.foundBy == nil && report.outcome == .unchanged
      #expect(report.foundBy?.way == .log || isUntouched, "seed \(seed), step \(number)")
      byLog += report.outcome == .changed ? 1 : 0
      try audit("seed \(seed), step \(number): \(sql)")
    }
    #expect(byLog > 0, "seed \(seed): a history without a change")
    try deployment.verify()
  }

  // MARK: Rows read by a step

  @Test func `a step reads only the touched rows`() throws {
    try write("INSERT INTO word SELECT value, 1 FROM json_each('[\"a\",\"b\",\"c\"]')")
    _ = try step()
    // Without WAL, an open origin blocks its writers.
    let cursor = try #require(try SQLiteOrigin(deployment.originPath).log()).cursor()
    try write("UPDATE word SET n = 2 WHERE word = 'b'; DELETE FROM word WHERE word = 'a'")
    let after = try #require(try SQLiteOrigin(deployment.originPath).log())
    let answer = try after.touched(since: cursor, deployment.job.plans[0])
    guard case .tables(let touched) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(touched["word"] == .keys([[.text("a")], [.text("b")]]))
    for table in ["zone", "stop", "call", "busy", "named"] { #expect(touched[table] == .nothing, "\(table)") }
  }

  @Test func `a SELECT and a view are compared after a write to a table that they read`() throws {
    try write("INSERT INTO zone VALUES ('z', 'Zone'); INSERT INTO stop VALUES (1, 'x', NULL, 'z')")
    #expect(try step().changes["named"]?.inserted == 1)
    try write("INSERT INTO call VALUES (1, 1, '9:00', 1)")
    let report = try step()
    #expect(report.foundBy?.way == .log)
    #expect(report.changes["busy"]?.inserted == 1)
    try audit()
  }

  @Test
  func `with an empty log a step reads no page of any table and writes nothing, and finds a later change`()
    throws
  {
    let cursor = deployment.folder("state/test-1.cursor")
    // The first step after a comparison finds out whether the log is usable.
    try write("PRAGMA user_version = 1")
    _ = try step()
    let noted = try #require(try FileStamp(cursor))
    for number in 2..<5 {
      try write("PRAGMA user_version = \(number)")
      let report = try deployment.step()
      #expect(report.series[0].foundBy == FoundBy(.log) && report.series[0].outcome == .unchanged)
      #expect(try FileStamp(cursor) == noted)
    }
    try write("INSERT INTO word VALUES ('new', 1)")
    #expect(try step().changes["word"]?.inserted == 1)
    #expect(try FileStamp(cursor) != noted)
    try audit()
    try write(
      "INSERT INTO zone VALUES ('z', 'Z'); INSERT INTO stop VALUES (1, 's', 2, 'z'); INSERT INTO word VALUES ('w', 1)"
    )
    _ = try step()
    try write("PRAGMA user_version = 1")
    _ = try step()
    try write("PRAGMA user_version = 2")
    try spoilTables()
    let report = try step()
    #expect(report.foundBy == FoundBy(.log) && report.outcome == .unchanged)
    // Reading one of them fails.
    deployment.job.policy.auditSeconds = 0
    #expect(throws: OriginError.self) { try deployment.step() }
  }

  /// Overwrites all pages of tables and indexes that do not belong to the log.
  private func spoilTables() throws {
    let connection = try Connection(deployment.originPath, .own)
    let size = try #require(try connection.integer("PRAGMA page_size"))
    let pages = try connection.rows(
      """
      SELECT pageno FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema
      WHERE tbl_name IN ('zone', 'stop', 'call', 'word'))
      """
    ).map(\.[0])
    let file = try #require(FileHandle(forUpdatingAtPath: deployment.originPath))
    for case .integer(let page) in pages {
      try file.seek(toOffset: UInt64((page - 1) * size))
      try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size)))
    }
    try file.close()
    #expect(pages.count > 6)
  }

  // MARK: Doubts about the log

  private func expectComparison(
    _ reason: LogDoubt, _ outcome: SeriesReport.Outcome = .unchanged,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let report = try step()
    #expect(report.foundBy == .because(reason), sourceLocation: sourceLocation)
    #expect(report.outcome == outcome, sourceLocation: sourceLocation)
    // From then on the log is used again.
    try write("INSERT OR REPLACE INTO word VALUES ('again', random())")
    #expect(try step().foundBy?.way == .log, sourceLocation: sourceLocation)
    try audit("\(reason)")
  }

  @Test func `each event that may hide a change from the log causes one comparison`() throws {
    // A file that replaces the origin.
    let copy = deployment.folder("copy.sqlite")
    try Connection(deployment.originPath, .own).execute("VACUUM INTO '\(copy)'")
    try Folder.remove(deployment.originPath)
    try Folder.rename(copy, to: deployment.originPath)
    try expectComparison(.otherFile)
    try Connection(deployment.originPath, .own).execute("VACUUM")
    try expectComparison(.otherSchema)
    // A trigger that is dropped and made again.
    let insert = "FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'word' AND name LIKE '%insert'"
    let (name, sql) = (try found("SELECT name \(insert)"), try found("SELECT sql \(insert)"))
    try write("DROP TRIGGER \(quoted(name)); INSERT INTO word VALUES ('unseen', 1); \(sql)")
    try expectComparison(.otherSchema, .changed)
    // A log whose history is shorter than the publisher was down.
    try write("INSERT INTO word VALUES ('b', 1), ('c', 1)")
    let log = try wordLog()
    try write("DELETE FROM \(log) WHERE seq < (SELECT max(seq) FROM \(log))")
    try expectComparison(.pruned, .changed)
    // A working copy with foreign writes, which is rebuilt.
    try Connection(deployment.copy(major: 1), .own).execute("UPDATE word SET n = 7")
    try write("INSERT INTO zone VALUES ('z', 'Z')")
    let report = try step()
    #expect(report.foundBy == .because(.otherCopy) && report.repair != nil && report.outcome == .changed)
    try deployment.verify()
    try audit()
    // Another log.
    let connection = try Connection(deployment.originPath, .own)
    try connection.transaction {
      for statement in try SQLiteLogDraft.removal(connection) { try connection.execute(statement) }
    }
    #expect(try step().foundBy == .because(.noLog))
    try setUp()
    #expect(try step().foundBy == .because(.first))
  }

  @Test func `a recreated table has no triggers and is compared at each step with a warning`()
    throws
  {
    try write("DROP TABLE word; CREATE TABLE word(word TEXT PRIMARY KEY, n INTEGER, UNIQUE(n, word))")
    #expect(try step().foundBy == .because(.otherSchema))
    for number in 0..<3 {
      try write("INSERT INTO word VALUES ('new \(number)', \(number))")
      let report = try deployment.step()
      #expect(report.series[0].changes["word"]?.inserted == 1)
      #expect(report.warnings.contains { $0.contains("no longer watches \"word\"") }, "\(report.warnings)")
    }
  }

  @Test(arguments: ["insert", "update", "delete", "move", "insert_0", "update_1"])
  func `a missing trigger loses no change`(kind: String) throws {
    let name = try found(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'word' AND name LIKE '%\\_\(kind)' ESCAPE '\\'"
    )
    try write("INSERT INTO word(rowid, word, n) VALUES (1, 'a', 1), (2, 'b', 2)")
    try write("DROP TRIGGER \(quoted(name))")
    _ = try step()
    for sql in [
      "INSERT INTO word VALUES ('c', 3)", "UPDATE word SET n = n + 10", "DELETE FROM word WHERE word = 'a'",
    ] {
      try write(sql)
      #expect(try step().outcome == .changed, "\(sql)")
    }
  }

  @Test func `an emptied log is not trusted even if it had been empty before, and a backup is detected`()
    throws
  {
    let log = try wordLog()
    for name in ["a", "b", "c"] {
      try write("INSERT INTO word VALUES ('\(name)', 1); DELETE FROM \(log)")
      let report = try step()
      #expect(report.foundBy == .because(.edited) && report.outcome == .changed)
    }
    try write("INSERT INTO word VALUES ('d', 1)")
    try expectComparison(.edited, .changed)
    // A backup, and then as many writes as it lacks.
    let backup = try DurableFile.read(deployment.originPath, limit: 1 << 24)
    try write("INSERT INTO word VALUES ('lost', 1)")
    _ = try step()
    try File(deployment.originPath, for: .updating).write(backup)
    try write("INSERT INTO word VALUES ('lost', 2)")
    let report = try step()
    #expect(report.foundBy == .because(.edited) && report.changes["word"]?.updated == 1)
    try audit()
  }

  @Test
  func `the audit publishes and reports rows missed by the log, which is no longer trusted`()
    throws
  {
    // A writer without triggers.
    let connection = try Connection(deployment.originPath, .writer)
    try connection.execute("INSERT INTO word VALUES ('unseen', 1)")
    #expect(try step().outcome == .unchanged, "nothing told of it")
    deployment.job.policy.auditSeconds = 0
    let report = try deployment.step()
    #expect(report.series[0].changes["word"]?.inserted == 1)
    #expect(report.warnings.count == 1 && report.warnings[0].contains("word = unseen"), "\(report.warnings)")
    #expect(report.series[0].missedRows == 1)
    deployment.job.policy.auditSeconds = 86_400
    try write("INSERT INTO word VALUES ('seen', 1)")
    let compared = try step()
    #expect(compared.foundBy?.why == .missed && compared.missedRows == 0, "the log is not trusted any more")
    #expect(compared.foundBy?.reason?.contains("the log missed") == true)
  }

  @Test func `a series is compared after a rollback and resume`() throws {
    try write("INSERT INTO word VALUES ('a', 1)")
    _ = try step()
    try write("DELETE FROM word")
    _ = try deployment.step(forcingSnapshot: true)
    let series = deployment.job.plans[0].series
    deployment.clock = deployment.clock.adding(seconds: 1)
    let options = try StepOptions(rollingBack: series, to: 2, deployment.job)
    try deployment.publisher.step(deployment.job, options, now: deployment.clock)
    deployment.clock = deployment.clock.adding(seconds: 1)
    let resumed = try deployment.publisher.step(
      deployment.job, StepOptions(isResuming: true), now: deployment.clock)
    #expect(resumed.series[0].foundBy == .because(.otherCopy))
    try audit()
  }
}

@Suite struct LogDoubtTests {
  @Test func `each comparison reason has its own word without names of tables`() {
    let reasons =
      [
        .noLog, .first, .otherCopy, .otherSubject, .missed(.now()), .otherFile, .otherDatabase,
        .otherServer, .otherTimeline, .otherTriggers, .otherSchema, .otherLog, .pruned, .edited,
      ] as [LogDoubt]
    let words = reasons.compactMap { FoundBy.because($0).why }
    #expect(
      Set(words) == Set(ComparisonWhy.allCases).subtracting([.someTables]) && words.count == reasons.count)
    for word in ComparisonWhy.allCases {
      #expect(word.rawValue.wholeMatch(of: /[a-z-]+/) != nil, "\(word)")
    }
  }
}
