import SeedDatabase
import SeedFormat

/// Changes a demo's origin a little at a time, as a city's timetable does over the day.
struct DemoChanges: Sendable {
  private let path: String
  private var generator: SeededGenerator

  /// Equal seeds make equal changes.
  init(origin path: String, seed: UInt64 = .random(in: .min ... .max)) {
    self.path = path
    generator = SeededGenerator(seed: seed)
  }

  private enum Kind: CaseIterable {
    case delay, rename, insert, delete
  }

  /// Makes one change in a transaction of its own, and returns a line about it.
  mutating func make() throws -> String {
    let kind = generator.pick(Kind.allCases)
    let connection = try Connection(path, .writer)
    // From a generator of its own: a change that fails must not leave this one halfway.
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

/// One change, in its transaction.
private struct Change {
  let connection: Connection

  /// A random trip; nil if all were deleted.
  func anyTrip(_ generator: inout SeededGenerator) throws -> Int64? {
    guard let last = try connection.integer("SELECT max(id) FROM trip") else { return nil }
    let start = Int64(1 + generator.below(Int(last)))
    return try connection.integer("SELECT min(id) FROM trip WHERE id >= ?", .integer(start))
  }

  func delay(_ trip: Int64, _ generator: inout SeededGenerator) throws -> String {
    let minutes = 1 + generator.below(9)
    let first = 1 + generator.below(DemoOrigin.callsPerTrip)
    let seconds = SeedValue.integer(Int64(minutes * 60))
    try connection.execute(
      """
      UPDATE stop_time SET arrival = arrival + ?1, departure = departure + ?1
      WHERE trip_id = ?2 AND position >= ?3
      """, seconds, .integer(trip), .integer(Int64(first)))
    return "Trip \(trip) to \(try headsign(trip)) is \(minutes) min late from its stop \(first) on."
  }

  func rename(_ generator: inout SeededGenerator) throws -> String {
    let id = DemoOrigin.stopID(generator.below(DemoOrigin.stops))
    let old = try connection.value("SELECT name FROM stop WHERE id = ?", .text(id))?.text ?? id
    let new = DemoNames.stop(&generator)
    try connection.execute("UPDATE stop SET name = ? WHERE id = ?", .text(new), .text(id))
    return "The stop \(old) is called \(new) now."
  }

  /// An extra trip along stops with consecutive numbers.
  func insert(_ generator: inout SeededGenerator) throws -> String {
    let id = 1 + (try connection.integer("SELECT coalesce(max(id), 0) FROM trip") ?? 0)
    let clock = Int64(4 * 3600 + generator.below(20 * 60) * 60)
    let line = Int64(1 + generator.below(DemoOrigin.lines))
    try connection.execute(
      "INSERT INTO trip SELECT ?, ?, name, 0, 'Zusatzfahrt' FROM stop ORDER BY id LIMIT 1 OFFSET ?",
      .integer(id), .integer(line), .integer(Int64(generator.below(DemoOrigin.stops))))
    let call = try connection.prepare("INSERT INTO stop_time VALUES(?, ?, ?, ?, ?)")
    let start = generator.below(DemoOrigin.stops)
    for position in 0..<DemoOrigin.callsPerTrip {
      let arrival = clock + Int64(position * 120)
      try call.run([
        .integer(id), .integer(Int64(position + 1)),
        .text(DemoOrigin.stopID((start + position) % DemoOrigin.stops)), .integer(arrival),
        .integer(arrival + 20),
      ])
    }
    return "Trip \(id) to \(try headsign(id)) was added."
  }

  func delete(_ trip: Int64) throws -> String {
    let name = try headsign(trip)
    try connection.execute("DELETE FROM stop_time WHERE trip_id = ?", .integer(trip))
    try connection.execute("DELETE FROM trip WHERE id = ?", .integer(trip))
    return "Trip \(trip) to \(name) was cancelled."
  }

  private func headsign(_ trip: Int64) throws -> String {
    try connection.value("SELECT headsign FROM trip WHERE id = ?", .integer(trip))?.text ?? "nowhere"
  }
}
