import Foundation
import Support
import Testing

/// A small demo deployment, changed by random SQL and published by the real command.
struct DemoRoad {
  let folder: TemporaryFolder
  private(set) var random: SplitMix

  var config: String { folder("demo/seedbank.json") }
  var origin: String { folder("demo/transit.sqlite") }
  var root: String { folder("demo/root.json") }

  init(seed: UInt64, trips: Int) throws {
    folder = try TemporaryFolder(inMemory: true)
    random = SplitMix(seed: seed)
    try SeedbankBinary.succeed(["demo", "--directory", "demo", "--trips", "\(trips)"], in: folder.path)
    try publish()
  }

  func publish(snapshot: Bool = false) throws {
    try SeedbankBinary.succeed(
      ["regenerate", "--config", config] + (snapshot ? ["--snapshot"] : []), in: folder.path)
  }

  /// Changes the origin by several sqlite3 statements, each in its own transaction.
  mutating func mutate(_ count: Int) throws {
    let statements = (0..<count).map { _ in statement() }
    try Tool.sqlite(origin, "PRAGMA foreign_keys = ON;\n" + statements.joined(separator: ";\n") + ";")
  }

  private mutating func statement() -> String {
    let number = Int.random(in: 0..<1_000_000, using: &random)
    let someStop = "(SELECT id FROM stop ORDER BY id LIMIT 1 OFFSET \(number % 13_000))"
    let someTrip = "(SELECT id FROM trip ORDER BY id LIMIT 1 OFFSET \(number) % (SELECT count(*) FROM trip))"
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return "UPDATE stop SET name = 'Ümläut \(number)' WHERE id = \(someStop)"
    case 1: return "UPDATE stop SET latitude = latitude + 0.\(number) WHERE id = \(someStop)"
    case 2: return "INSERT INTO notice(line_id, text) SELECT min(id), 'notice \(number)' FROM line"
    case 3: return "DELETE FROM notice WHERE id = (SELECT max(id) FROM notice)"
    case 4: return "UPDATE stop_time SET arrival = arrival + \(number % 100) WHERE trip_id = \(someTrip)"
    case 5: return "DELETE FROM stop_time WHERE trip_id = \(someTrip) AND position > \(number % 20)"
    default:
      return "INSERT INTO stop(id, name, latitude, longitude, zone) "
        + "VALUES ('new:\(number)', 'New \(number)', 52.\(number), 13.\(number), 'C') ON CONFLICT DO NOTHING"
    }
  }

  private func waitUntilServed(by address: String) throws {
    let published = try String(
      contentsOfFile: folder("demo/publication/metadata/timestamp.json"), encoding: .utf8)
    for _ in 0..<1_000 {
      if try Tool.run(["curl", "-sf", "\(address)/metadata/timestamp.json"]) == published { return }
      usleep(10_000)
    }
    Issue.record("the front never served what was published")
  }

  /// Updates a store through the front.
  func pull(_ store: String, model: String, from address: String) throws {
    try waitUntilServed(by: address)
    try SeedbankBinary.succeed(
      ["pull", address, "--dataset", "transit", "--model", model, "--store", store, "--root", root],
      in: folder.path)
  }

  func file(of store: String) throws -> String {
    let name = try String(contentsOfFile: folder("\(store)/CURRENT"), encoding: .utf8)
    return folder("\(store)/generations/\(name.trimmingCharacters(in: .whitespacesAndNewlines))/seed.sqlite")
  }

  /// Returns every row of all tables, including the seed's own, as sqlite3 quotes them.
  func rows(of file: String) throws -> [String: String] {
    let names = try Tool.sqlite(
      file,
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%';"
    )
    var rows: [String: String] = [:]
    for name in names.split(separator: "\n").map(String.init) {
      rows[name] = try Tool.sqlite(file, ".mode quote\nSELECT * FROM \"\(name)\" ORDER BY 1, 2;")
    }
    return rows
  }
}
