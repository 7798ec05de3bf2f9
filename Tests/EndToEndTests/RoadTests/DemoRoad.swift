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
    try folder.succeed("demo", "--directory", "demo", "--trips", "\(trips)")
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

  /// Updates a store through the front.
  func pull(_ store: String, model: String, from address: String) throws {
    try RunningSeedbank.waits(untilServing: folder("demo/publication"), at: address)
    try folder.succeed(
      "pull", address, "--dataset", "transit", "--model", model, "--store", store, "--root", root)
  }

  func file(of store: String) throws -> String { try Dump.file(ofStore: folder(store)) }
}
