import SeedDatabase
import SeedFormat

struct DemoChanges: Sendable {
  private let path: String
  private var generator: SeededGenerator

  init(origin path: String, seed: UInt64 = .random(in: .min ... .max)) {
    (self.path, generator) = (path, SeededGenerator(seed: seed))
  }

  private enum Kind: CaseIterable { case delay, rename, insert, delete }

  mutating func make() throws -> String {
    let kind = generator.pick(Kind.allCases)
    let connection = try Connection(path, .writer)
    // A generator of its own, so that a failed change does not affect the following ones.
    var local = SeededGenerator(seed: generator.next())
    return try connection.transaction {
      let change = Change(connection: connection)
      let trip = try change.anyTrip(&local)
      switch (kind, trip) {
      case (.rename, _): return try change.rename(&local)
      case (.delay, let trip?): return try change.delay(trip, &local)
      case (.delete, let trip?): return try change.delete(trip)
      case (.insert, _), (_, nil): return try change.insert(&local)
      }
    }
  }
}

private struct Change {
  let connection: Connection

  func anyTrip(_ generator: inout SeededGenerator) throws -> Int? {
    guard let last = try connection.integer("SELECT max(id) FROM trip") else { return nil }
    let start = 1 + generator.below(Int(last))
    return try connection.integer("SELECT min(id) FROM trip WHERE id >= ?", .number(start)).map { Int($0) }
  }

  func delay(_ trip: Int, _ generator: inout SeededGenerator) throws -> String {
    let minutes = 1 + generator.below(9)
    let first = 1 + generator.below(DemoOrigin.callsPerTrip)
    try connection.execute(
      """
      UPDATE stop_time SET arrival = arrival + ?1, departure = departure + ?1
      WHERE trip_id = ?2 AND position >= ?3
      """, .number(minutes * 60), .number(trip), .number(first))
    return "Trip \(trip) to \(try headsign(trip)) is \(minutes) min late from its stop \(first) on."
  }

  func rename(_ generator: inout SeededGenerator) throws -> String {
    let id = DemoOrigin.stopID(generator.below(DemoOrigin.stops))
    let old = try connection.value("SELECT name FROM stop WHERE id = ?", .text(id))?.text ?? id
    let new = DemoNames.stop(&generator)
    try connection.execute("UPDATE stop SET name = ? WHERE id = ?", .text(new), .text(id))
    return "The stop \(old) is called \(new) now."
  }

  func insert(_ generator: inout SeededGenerator) throws -> String {
    let id = 1 + Int(try connection.integer("SELECT coalesce(max(id), 0) FROM trip") ?? 0)
    let clock = 4 * 3600 + generator.below(20 * 60) * 60
    let line = 1 + generator.below(DemoOrigin.lines)
    try connection.execute(
      "INSERT INTO trip SELECT ?, ?, name, 0, 'Zusatzfahrt' FROM stop ORDER BY id LIMIT 1 OFFSET ?",
      .number(id), .number(line), .number(generator.below(DemoOrigin.stops)))
    let call = try connection.prepare("INSERT INTO stop_time VALUES(?, ?, ?, ?, ?)")
    let start = generator.below(DemoOrigin.stops)
    for position in 0..<DemoOrigin.callsPerTrip {
      let stop = (start + position) % DemoOrigin.stops
      try call.run(DemoOrigin.call(id, position, stop, clock + position * 120))
    }
    return "Trip \(id) to \(try headsign(id)) was added."
  }

  func delete(_ trip: Int) throws -> String {
    let name = try headsign(trip)
    try connection.execute("DELETE FROM stop_time WHERE trip_id = ?", .number(trip))
    try connection.execute("DELETE FROM trip WHERE id = ?", .number(trip))
    return "Trip \(trip) to \(name) was cancelled."
  }

  private func headsign(_ trip: Int) throws -> String {
    try connection.value("SELECT headsign FROM trip WHERE id = ?", .number(trip))?.text ?? "nowhere"
  }
}
