import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import Support
import Testing

/// Random histories of writes. After each step with the log, a full comparison must find no difference, and the log
/// must have named every changed row.
@Suite struct PostgresHistoryTests {
  static let histories = Stage.pick(quick: 1, full: 5, deep: 250)
  private static let databases = 8
  private static let steps = 5

  private static let origin = """
    CREATE TABLE zone(code text PRIMARY KEY, title text UNIQUE);
    CREATE TABLE stop(id int PRIMARY KEY, name text UNIQUE, spot float8,
      zone text REFERENCES zone ON UPDATE CASCADE ON DELETE CASCADE);
    CREATE TABLE call(stop int REFERENCES stop ON UPDATE CASCADE ON DELETE CASCADE, turn int, at time, PRIMARY KEY (stop, turn))
      PARTITION BY RANGE (turn);
    CREATE TABLE call_low PARTITION OF call FOR VALUES FROM (MINVALUE) TO (2);
    CREATE TABLE call_high PARTITION OF call DEFAULT;
    CREATE TABLE word(word text PRIMARY KEY, n int);
    CREATE VIEW busy AS SELECT stop AS id, count(*) AS calls FROM call GROUP BY stop;
    """

  private static let schema = """
    CREATE TABLE zone(code TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, spot REAL, zone TEXT);
    CREATE TABLE call(stop INTEGER, turn INTEGER, at TEXT, PRIMARY KEY (stop, turn)) WITHOUT ROWID;
    CREATE TABLE word(word TEXT PRIMARY KEY, n INTEGER);
    CREATE TABLE busy(id INTEGER PRIMARY KEY, calls INTEGER);
    CREATE TABLE named(id INTEGER PRIMARY KEY, title TEXT);
    """

  private static let named = "SELECT stop.id, zone.title FROM stop JOIN zone ON zone.code = stop.zone"

  // MARK: Statements

  private static func statement(_ random: inout SplitMix) -> String {
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    func text() -> String { random.pick(["'a'", "'A'", "'b'", "'aa'", "'ä'", "''", "'it''s'", "'33'"]) }
    let value = number(4) == 0 ? "NULL" : "\(number(9)).5"
    return switch number(21) {
    case 0: "INSERT INTO zone VALUES (\(text()), \(text())) ON CONFLICT DO NOTHING"
    case 1: "UPDATE zone SET code = \(text()) WHERE code = \(text())"
    case 2: "DELETE FROM zone WHERE code = \(text())"
    case 3, 4:
      """
      INSERT INTO stop VALUES (\(number(9)), \(text()), \(value), (SELECT min(code) FROM zone))
      ON CONFLICT (id) DO UPDATE SET name = excluded.name || stop.id
      """
    case 5: "UPDATE stop SET name = \(text()), spot = \(value) WHERE id = \(number(9))"
    case 6: "UPDATE stop SET id = id + 20 WHERE id > \(number(9))"
    case 7: "DELETE FROM stop WHERE id % 9 = \(number(9))"
    case 8: "INSERT INTO call SELECT id, \(number(4)), '10:00' FROM stop ON CONFLICT DO NOTHING"
    case 9: "UPDATE call SET turn = 3 - turn WHERE stop = \(number(9))"
    case 10: "DELETE FROM call WHERE turn = \(number(4))"
    case 11: "INSERT INTO call_low SELECT id, \(number(2)), '11:00' FROM stop ON CONFLICT DO NOTHING"
    case 12: "UPDATE call_high SET at = '1\(number(9)):00' WHERE stop > \(number(9))"
    case 13: random.pick(["TRUNCATE word", "TRUNCATE call", "TRUNCATE call_low", "TRUNCATE zone CASCADE"])
    case 14: "INSERT INTO word VALUES (\(text()), 1) ON CONFLICT (word) DO UPDATE SET n = word.n + 1"
    case 15:
      """
      WITH gone AS (DELETE FROM word WHERE n < \(number(4)) RETURNING *)
      INSERT INTO word SELECT word || '\(number(9))', n FROM gone
      """
    case 16:
      """
      MERGE INTO word USING (VALUES (\(text()), \(number(3))), ('new', 1)) v(w, m) ON word.word = v.w
      WHEN MATCHED AND m = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = m WHEN NOT MATCHED THEN INSERT VALUES (w, m)
      """
    case 17: "COPY word FROM stdin;\nw\(number(20))\t\(number(3))\n\\.\n"
    case 18:
      "SET session_replication_role = replica; UPDATE word SET n = n + 10; RESET session_replication_role"
    case 19:
      "SAVEPOINT one; DELETE FROM word; ROLLBACK TO one; UPDATE stop SET spot = 1 WHERE id = \(number(9))"
    default: "UPDATE word SET word = word || \(text()) WHERE n = \(number(3))"
    }
  }

  /// A transaction that may roll back. A constraint violation ends it, as in real programs.
  private static func transaction(_ random: inout SplitMix) -> String {
    let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in statement(&random) }
    return "BEGIN;\n\(statements.joined(separator: ";\n"));\n\(random.chance(10) ? "ROLLBACK" : "COMMIT");\n"
  }

  // MARK: Histories

  @Test(.full, arguments: 0..<databases)
  func `a log names every changed row of a PostgreSQL database`(_ number: Int) throws {
    let scene = try PostgresLogScene(Self.origin, Self.schema, projections: ["named": Self.named])
    var changed = 0
    for history in 0..<Self.histories {
      let seed = UInt64(number * Self.histories + history)
      var random = SplitMix(seed: seed)
      try scene.database.run("TRUNCATE zone, stop, call, word")
      for step in 0..<Self.steps {
        let scripts = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.transaction(&random) }
        for script in scripts { try write(script, scene.database) }
        if try check(scene, "seed \(seed), step \(step): \(scripts.joined())") { changed += 1 }
      }
    }
    #expect(changed > Self.histories, "histories without changes prove nothing")
  }

  private func write(_ script: String, _ database: PostgresDatabase) throws {
    do {
      try database.run(script)
    } catch let failure as PostgresFailure {
      guard failure.output.contains("violates") else { throw failure }
    }
  }

  /// Runs a step with the log, and a comparison. Returns whether there was a change.
  private func check(_ scene: PostgresLogScene, _ place: String) throws -> Bool {
    let report = try scene.step()
    #expect(report.foundBy?.way == .log, "\(String(describing: report.foundBy)), \(place)")
    try scene.audit(place)
    return report.outcome == .changed
  }
}
