import Foundation
import SeedDatabase
import SeedFormat
import SeedImport
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

#if canImport(SeedPostgres)
import SeedPostgres
#endif

/// Equal random rows lead to the same series from SQLite, PostgreSQL, CSV, lines of JSON and a JSON array.
@Suite struct FeedPropertyTests {
  private static let runs = Stage.pick(quick: 1, full: 4, deep: 200)
  private static let steps = Stage.isDeep ? 5 : 3

  private static let texts = [
    "", "x", "007", "1.50", " a", "a,b", "\"", "\n", "\r\n", "ä", "e\u{301}", "NULL", "'", "12e3", "\t", "🚋",
  ]

  // MARK: Tables

  private struct Table: Sendable {
    let name: String
    /// Names with types in SQLite and PostgreSQL.
    let columns: [(name: String, sqlite: String, postgres: String)]
    let key: [Int]
    let value: @Sendable (_ column: Int, _ row: Int64, inout SplitMix) -> SeedValue

    var names: [String] { columns.map(\.name) }

    func schema(_ type: (Int) -> String) -> String {
      let parts = columns.indices.map { "\(columns[$0].name) \(type($0))" }
      return
        "CREATE TABLE \(name)(\(parts.joined(separator: ", ")), PRIMARY KEY (\(key.map { columns[$0].name }.joined(separator: ", "))));"
    }
  }

  private static let item = Table(
    name: "item",
    columns: [
      ("a", "INTEGER NOT NULL", "int8"), ("b", "TEXT NOT NULL COLLATE NOCASE", "text"),
      ("i", "INTEGER", "int8"),
      ("r", "REAL", "float8"), ("t", "TEXT", "text"), ("n", "NUMERIC", "numeric"), ("x", "", "text"),
    ], key: [1, 0]
  ) { column, row, random in
    switch column {
    case 0: .integer(row)
    case 1: .text("k\(row)" + random.pick(texts))
    case 2: integer(&random)
    case 3: real(&random)
    case 5: random.chance(50) ? integer(&random) : .null
    default: text(&random)
    }
  }

  private static let other = Table(
    name: "other",
    columns: [("id", "INTEGER", "int"), ("t", "TEXT NOT NULL DEFAULT 'none'", "text NOT NULL")], key: [0]
  ) { column, row, random in column == 0 ? .integer(row) : .text("t" + random.pick(texts)) }

  /// A table whose key is a text, ordered by its bytes.
  private static let word = Table(
    name: "word",
    columns: [("w", "TEXT NOT NULL", "text"), ("n", "INTEGER", "int8"), ("r", "REAL", "float8")], key: [0]
  ) { column, row, random in
    switch column {
    case 0: .text(random.pick(["é", "Z", "a", "~", "", "🚋"]) + "\(row)")
    case 1: integer(&random)
    default: real(&random)
    }
  }

  /// A table with a column of bytes, which feeds cannot have.
  private static let bytes = Table(
    name: "bytes",
    columns: [("id", "INTEGER", "int8"), ("d", "BLOB", "bytea"), ("e", "BLOB NOT NULL", "bytea")], key: [0]
  ) { column, row, random in
    guard column > 0 else { return .integer(row) }
    let count = random.pick([0, 1, 3, 5000])
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    return column == 1 && random.chance(20) ? .null : .blob(bytes)
  }

  @Test func `random tables lead to the same digest from each kind of origin`() throws {
    for _ in 0..<Self.runs { try compare(Kind.allCases, [Self.item, Self.other, Self.word]) }
  }

  @Test func `random bytes lead to the same digest from a file and from a server`() throws {
    for _ in 0..<Self.runs { try compare(Kind.allCases.filter { !$0.isFeed }, [Self.bytes, Self.word]) }
  }

  private typealias Row = [SeedValue]

  private static func rows(
    _ table: Table, _ random: inout SplitMix, after old: [Row], from first: Int64
  ) -> [Row] {
    let kept = old.filter { _ in random.chance(70) }.map { row in
      guard random.chance(30) else { return row }
      let column = Int.random(in: 0..<row.count, using: &random)
      var changed = row
      if !table.key.contains(column) { changed[column] = table.value(column, 0, &random) }
      return changed
    }
    let new = (0..<Int64.random(in: 0...40, using: &random)).map { number in
      table.columns.indices.map { table.value($0, first + number, &random) }
    }
    return kept + new
  }

  private static func integer(_ random: inout SplitMix) -> SeedValue {
    random.chance(20) ? .null : .integer(random.pick([0, 1, -7, 9_007_199_254_740_993, .max, .min]))
  }

  private static func real(_ random: inout SplitMix) -> SeedValue {
    random.chance(20) ? .null : .real(random.pick([0.5, -1.25, 1e300, .leastNonzeroMagnitude, 0.1, 3]))
  }

  private static func text(_ random: inout SplitMix) -> SeedValue {
    random.chance(20) ? .null : .text(random.pick(texts))
  }

  // MARK: Origins

  private enum Kind: CaseIterable {
    case sqlite, csv, lines, array
    #if canImport(SeedPostgres)
    case postgres
    #endif

    var isFeed: Bool { [.csv, .lines, .array].contains(self) }
  }

  private func compare(_ kinds: [Kind], _ tables: [Table]) throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    let deployments = try kinds.map { try Origin($0, tables) }
    var rows = tables.map { _ in [Row]() }
    for step in 0..<Self.steps {
      for (number, table) in tables.enumerated() {
        rows[number] = Self.rows(table, &random, after: rows[number], from: Int64(step * 1000))
      }
      for deployment in deployments { try deployment.write(rows) }
      let series = try deployments.map { try $0.step() }
      for (kind, versions) in zip(kinds, series) {
        #expect(versions == series[0], "seed \(seed), step \(step): \(kind) and SQLite differ")
      }
    }
  }

  private final class Origin {
    let kind: Kind
    let tables: [Table]
    let deployment: TestDeployment
    private var folder: TemporaryFolder { deployment.folder }

    init(_ kind: Kind, _ tables: [Table]) throws {
      (self.kind, self.tables) = (kind, tables)
      let schema = tables.map { table in table.schema { table.columns[$0].sqlite } }.joined(separator: "\n")
      deployment = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
      deployment.job.shrinkGuard.percent = 100
      switch kind {
      case .sqlite: try deployment.origin(schema)
      #if canImport(SeedPostgres)
      case .postgres: try setUpPostgres()
      #endif
      case .csv, .lines, .array: try setUpFeed()
      }
    }

    private func setUpFeed() throws {
      try Folder.create(folder("feed"))
      var settings = FeedSettings()
      settings.source = .path(folder("feed"))
      (settings.settleSeconds, settings.emptyFields) = (0, .quotes)
      follow(FeedPlace("test", settings, deployment.job.plans, stateFolder: folder("state")))
    }

    private func follow(_ place: any OriginPlace) {
      deployment.job = DatasetJob(
        name: "test", origin: place, plans: deployment.job.plans, policy: deployment.job.policy)
      deployment.job.shrinkGuard.percent = 100
    }

    func write(_ rows: [[Row]]) throws {
      switch kind {
      case .sqlite: try fill(rows)
      #if canImport(SeedPostgres)
      case .postgres: try fillPostgres(rows)
      #endif
      case .csv, .lines, .array:
        for (table, rows) in zip(tables, rows) {
          let (ending, text) = document(of: table, rows)
          try folder.write(text, to: "feed/\(table.name).\(ending)")
        }
      }
    }

    private func document(of table: Table, _ rows: [Row]) -> (ending: String, text: String) {
      let objects = rows.map { Self.object($0, table.names) }
      switch kind {
      case .lines: return ("ndjson", objects.joined(separator: "\n"))
      case .array: return ("json", "[\(objects.joined(separator: ","))]")
      default:
        let lines =
          [table.names.joined(separator: ",")] + rows.map { $0.map(Self.field).joined(separator: ",") }
        return ("csv", lines.joined(separator: "\r\n") + "\r\n")
      }
    }

    private func fill(_ rows: [[Row]]) throws {
      let connection = try Connection(deployment.originPath, .creator)
      for (table, rows) in zip(tables, rows) {
        try connection.execute("DELETE FROM \(table.name)")
        let places = table.names.map { _ in "?" }.joined(separator: ", ")
        let insert = try connection.prepare("INSERT INTO \(table.name) VALUES (\(places))")
        for row in rows { try insert.run(row) }
      }
    }

    #if canImport(SeedPostgres)
    private var database: PostgresDatabase?

    private func setUpPostgres() throws {
      let schema = tables.map { table in table.schema { table.columns[$0].postgres } }.joined(separator: "\n")
      let database = try PostgresCluster.shared.get().database(schema)
      self.database = database
      follow(PostgresPlace(url: database.url(), shownURL: "postgres://host/x", schema: "public"))
    }

    private func fillPostgres(_ rows: [[Row]]) throws {
      let fills = zip(tables, rows).flatMap { table, rows in
        ["DELETE FROM \(table.name);"]
          + rows.map { "INSERT INTO \(table.name) VALUES (\($0.map(Self.literal).joined(separator: ", ")));" }
      }
      try database?.run("BEGIN; \(fills.joined(separator: "\n")) COMMIT;")
    }

    private static func literal(_ value: SeedValue) -> String {
      switch value {
      case .null: "NULL"
      case .text(let text): "'\(text.replacing("'", with: "''"))'"
      case .blob(let bytes): "'\\x\(lowerHex(bytes))'"
      default: "'\(plain(value))'"
      }
    }
    #endif

    /// CSV as `sqlite3 -csv` writes it.
    private static func field(_ value: SeedValue) -> String {
      switch value {
      case .null: ""
      case .text(let text): "\"\(text.replacing("\"", with: "\"\""))\""
      default: plain(value)
      }
    }

    private static func object(_ row: Row, _ columns: [String]) -> String {
      let members = zip(columns, row).map { name, value in "\"\(name)\":\(plain(value))" }
      return "{\(members.joined(separator: ","))}"
    }

    private static func plain(_ value: SeedValue) -> String {
      switch value {
      case .null: "null"
      case .integer(let value): "\(value)"
      case .real(let value): "\(value)"
      case .text(let text): JSONValue.string(text).text
      case .blob: ""
      }
    }

    func step() throws -> [Int: String] {
      _ = try deployment.step()
      let objects = try deployment.metadata().objects
      return Dictionary(objects.map { ($0.version.number, $0.digest.hex) }) { first, _ in first }
    }
  }
}
