import Foundation
import SeedDatabase
import SeedFormat
import SeedImport
import SeedServer
import SeedSystem
import SeedTrust
import Support
import Testing

/// The same random rows as a SQLite file, as CSV, as lines of JSON and as an array: whatever the origin is, clients get the
/// same state.
@Suite(.bounded) struct FeedPropertyTests {
  private static let schema = """
    CREATE TABLE item(a INTEGER NOT NULL, b TEXT NOT NULL COLLATE NOCASE, i INTEGER, r REAL, t TEXT, n NUMERIC, x, PRIMARY KEY (b, a));
    CREATE TABLE other(id INTEGER PRIMARY KEY, t TEXT NOT NULL DEFAULT 'none');
    """
  private static let columns = ["a", "b", "i", "r", "t", "n", "x"]
  private static let texts = [
    "", "x", "007", "1.50", " a", "a,b", "\"", "\n", "\r\n", "ä", "e\u{301}", "NULL", "'", "12e3", "\t", "🚋",
  ]

  @Test func `random tables lead to the same digest from each kind of origin`() throws {
    for _ in 0..<4 {
      let seed = UInt64.random(in: 0 ... .max)
      var random = SplitMix(seed: seed)
      let first = Self.rows(&random)
      let second = first.filter { _ in random.chance(70) } + Self.rows(&random, from: 1000)
      try compare([first, second], seed)
    }
  }

  private typealias Row = [SeedValue]

  private static func rows(_ random: inout SplitMix, from first: Int64 = 0) -> [Row] {
    (0..<Int64.random(in: 0...40, using: &random)).map { number in
      [
        .integer(first + number), .text("k\(number)" + random.pick(texts)), integer(&random), real(&random),
        text(&random),
        random.chance(50) ? integer(&random) : .null, text(&random),
      ]
    }
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

  private enum Kind: CaseIterable { case sqlite, csv, lines, array }

  private func compare(_ steps: [[Row]], _ seed: UInt64) throws {
    let deployments = try Kind.allCases.map { try Origin($0, Self.schema) }
    for rows in steps {
      for deployment in deployments { try deployment.write(rows, Self.columns) }
      let states = try deployments.map { try $0.step() }
      for (kind, state) in zip(Kind.allCases, states) {
        #expect(state == states[0], "seed \(seed): \(kind) and SQLite differ")
      }
    }
  }

  private final class Origin {
    let kind: Kind
    let deployment: TestDeployment
    private var folder: TemporaryFolder { deployment.folder }

    init(_ kind: Kind, _ schema: String) throws {
      self.kind = kind
      let models = [model("1.0", schema)]
      deployment = try TestDeployment(models, in: try TemporaryFolder(inMemory: true))
      try deployment.origin(schema)
      guard kind != .sqlite else { return }
      try Folder.create(folder("feed"))
      var settings = FeedSettings()
      settings.source = .path(folder("feed"))
      (settings.settleSeconds, settings.emptyFields) = (0, .quotes)
      deployment.job = DatasetJob(
        name: "test", origin: FeedPlace("test", settings, deployment.job.plans, stateFolder: folder("state")),
        plans: deployment.job.plans)
    }

    func write(_ rows: [Row], _ columns: [String]) throws {
      let text: (name: String, text: String)
      switch kind {
      case .sqlite: return try fill(rows)
      case .csv:
        let lines = [columns.joined(separator: ",")] + rows.map { $0.map(Self.field).joined(separator: ",") }
        text = ("item.csv", lines.joined(separator: "\r\n") + "\r\n")
      case .lines: text = ("item.ndjson", rows.map { Self.object($0, columns) }.joined(separator: "\n"))
      case .array: text = ("item.json", "[\(rows.map { Self.object($0, columns) }.joined(separator: ","))]")
      }
      try DurableFile.write(Array(text.text.utf8), to: folder("feed/\(text.name)"))
      try DurableFile.write(Array("id,t\n1,\n2,x\n".utf8), to: folder("feed/other.csv"))
    }

    private func fill(_ rows: [Row]) throws {
      let connection = try Connection(deployment.originPath, .creator)
      try connection.execute("DELETE FROM item; INSERT OR REPLACE INTO other VALUES (1, 'none'), (2, 'x')")
      let insert = try connection.prepare("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?)")
      for row in rows { try insert.run(row) }
    }

    /// As `sqlite3 -csv` writes it.
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

    /// Publishes, and returns the digest that clients compare.
    func step() throws -> String {
      _ = try deployment.step()
      let metadata = try deployment.metadata()
      let newest = try #require(metadata.objects.first { $0.version == metadata.state.head })
      return newest.digest.hex
    }
  }
}
