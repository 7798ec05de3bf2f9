import Foundation
import SeedFormat

/// A common import in an app: pages of JSON, JSONDecoder, prepared upserts, one transaction.
struct JSONPages {
  static let verb = "json-pages"

  private static let rowsPerPage = 10_000
  private let folder: String

  init(_ folder: String) { self.folder = folder }

  /// Writes every row of the origin, a page of objects per line.
  func export(_ origin: TransitOrigin) throws {
    for table in TransitOrigin.tables {
      let members = Self.columns(table).map { "'\($0)', \($0)" }.joined(separator: ", ")
      let sql = """
        .output \(file(table))
        SELECT json_group_array(json(object)) FROM (
          SELECT json_object(\(members)) AS object, row_number() OVER () / \(Self.rowsPerPage) AS page FROM \(table)
        ) GROUP BY page;
        """
      try Tool.run("sqlite3", [origin.path], input: sql)
    }
    try origin.schemaWithIndex.write(toFile: file("schema"), atomically: false, encoding: .utf8)
  }

  /// Runs the import in a new process.
  func measure() throws -> ToolRun {
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: target + suffix) }
    }
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    return try Tool.run(program, [Self.verb, folder])
  }

  /// Runs the import in this process.
  func run() throws {
    let database = try RawDatabase(target)
    try database.execute(try String(contentsOfFile: file("schema"), encoding: .utf8))
    try database.transaction {
      try load("stop", [Stop].self, database)
      try load("trip", [Trip].self, database)
      try load("stop_time", [StopTime].self, database)
    }
  }

  private func load<Row: PageRow>(_ table: String, _: [Row].Type, _ database: RawDatabase) throws {
    let statement = try database.prepare(Self.upsert(table))
    let decoder = JSONDecoder()
    for line in try LineReader(file(table)) {
      for row in try decoder.decode([Row].self, from: line) { try statement.run(row.values) }
    }
  }

  private static func upsert(_ table: String) -> String {
    let columns = columns(table)
    let keys = table == "stop_time" ? ["trip_id", "position"] : ["id"]
    let updates = columns.filter { !keys.contains($0) }.map { "\($0) = excluded.\($0)" }
    return """
      INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      ON CONFLICT(\(keys.joined(separator: ", "))) DO UPDATE SET \(updates.joined(separator: ", "))
      """
  }

  private static func columns(_ table: String) -> [String] {
    switch table {
    case "stop": ["id", "name", "lat", "lon"]
    case "trip": ["id", "line", "headsign"]
    default: ["trip_id", "position", "stop_id", "arrival", "departure"]
    }
  }

  private func file(_ name: String) -> String { "\(folder)/\(name).pages" }
  private var target: String { "\(folder)/imported.sqlite" }
}

private protocol PageRow: Decodable {
  var values: [SeedValue] { get }
}

private struct Stop: PageRow {
  let id, name: String
  let lat, lon: Double

  var values: [SeedValue] { [.text(id), .text(name), .real(lat), .real(lon)] }
}

private struct Trip: PageRow {
  let id: Int64
  let line, headsign: String

  var values: [SeedValue] { [.integer(id), .text(line), .text(headsign)] }
}

private struct StopTime: PageRow {
  let tripID, position, arrival, departure: Int64
  let stopID: String

  enum CodingKeys: String, CodingKey {
    case tripID = "trip_id"
    case stopID = "stop_id"
    case position, arrival, departure
  }

  var values: [SeedValue] {
    [.integer(tripID), .integer(position), .text(stopID), .integer(arrival), .integer(departure)]
  }
}

/// The lines of a file, one in memory at a time.
private final class LineReader: Sequence, IteratorProtocol {
  private let file: UnsafeMutablePointer<FILE>
  private var line: UnsafeMutablePointer<CChar>?
  private var capacity = 0

  init(_ path: String) throws {
    guard let file = fopen(path, "r") else { throw BenchmarkError.unexpected("lack of", in: path) }
    self.file = file
  }

  deinit {
    free(line)
    fclose(file)
  }

  func next() -> Data? {
    let count = getline(&line, &capacity, file)
    guard count > 0, let line else { return nil }
    return Data(bytes: line, count: count)
  }
}
