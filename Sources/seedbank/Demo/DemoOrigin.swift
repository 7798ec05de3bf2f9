import SeedDatabase
import SeedFormat

/// Invents an origin with the size and shape of a large city's transit data.
struct DemoOrigin {
  let trips: Int
  private var generator = SeededGenerator(seed: 0x5345_4544)

  static let fileName = "transit.sqlite"
  static let stops = 13_000
  static let lines = 250
  static let callsPerTrip = 20
  static let usualTrips = 10_000
  static let tripCounts = 1...1_000_000

  init(trips: Int) { self.trips = trips }

  static let schemaSQL = String(decoding: PackageResources.origin_sql, as: UTF8.self)

  mutating func write(to path: String) throws {
    let connection = try Connection(path, .creator)
    try connection.execute(Self.schemaSQL)
    try connection.transaction {
      let names = try writeStops(connection)
      let routes = try writeLines(connection)
      try writeTrips(connection, names, routes)
      try writeNotices(connection)
    }
  }

  static func stopID(_ number: Int) -> String { "de:11000:9\(String(1_000_000 + number).dropFirst())" }

  private mutating func writeStops(_ connection: Connection) throws -> [String] {
    let insert = try connection.prepare("INSERT INTO stop VALUES(?, ?, ?, ?, ?, ?)")
    var names: [String] = []
    for number in 0..<Self.stops {
      let name = DemoNames.stop(&generator)
      // Berlin's bounding box in millionths of a degree.
      let latitude = 52_338_000 + generator.below(337_000)
      let longitude = 13_088_000 + generator.below(673_000)
      let isInner = abs(latitude - 52_510_000) < 50_000 && abs(longitude - 13_400_000) < 110_000
      let stepFree: SeedValue = generator.below(10) == 0 ? .null : .number(generator.below(2))
      try insert.run([
        .text(Self.stopID(number)), .text(name), .real(Double(latitude) / 1e6),
        .real(Double(longitude) / 1e6), .text(isInner ? "A" : "B"), stepFree,
      ])
      names.append(name)
    }
    return names
  }

  private mutating func writeLines(_ connection: Connection) throws -> [[Int]] {
    let insert = try connection.prepare("INSERT INTO line VALUES(?, ?, ?, ?, ?)")
    var routes: [[Int]] = []
    for number in 0..<Self.lines {
      let (name, kind, color) = DemoNames.line(number)
      let company = kind == "suburban" ? "Demobahn" : "Demo-Verkehrsbetriebe"
      try insert.run([.number(number + 1), .text(name), .text(kind), .text(color), .text(company)])
      // A step coprime to the number of stops reaches no stop twice.
      let (start, step) = (generator.below(Self.stops), 1 + 130 * generator.below(100))
      routes.append((0..<Self.callsPerTrip).map { (start + $0 * step) % Self.stops })
    }
    return routes
  }

  private mutating func writeTrips(_ connection: Connection, _ names: [String], _ routes: [[Int]]) throws {
    let trip = try connection.prepare("INSERT INTO trip VALUES(?, ?, ?, ?, NULL)")
    let call = try connection.prepare("INSERT INTO stop_time VALUES(?, ?, ?, ?, ?)")
    for number in 1...trips {
      let line = generator.below(Self.lines)
      let direction = generator.below(2)
      let route = direction == 0 ? routes[line] : routes[line].reversed()
      let headsign = names[route[route.count - 1]]
      try trip.run([.number(number), .number(line + 1), .text(headsign), .number(direction)])
      var clock = 4 * 3600 + generator.below(20 * 60) * 60
      for (position, stop) in route.enumerated() {
        try call.run(Self.call(number, position, stop, clock))
        clock += 80 + generator.below(5) * 30
      }
    }
  }

  private mutating func writeNotices(_ connection: Connection) throws {
    let insert = try connection.prepare("INSERT INTO notice VALUES(?, ?, ?)")
    for number in 1...20 {
      let text = "Kein Halt an der \(DemoNames.stop(&generator))"
      try insert.run([.number(number), .number(1 + generator.below(Self.lines)), .text(text)])
    }
  }

  static func call(_ trip: Int, _ position: Int, _ stop: Int, _ arrival: Int) -> [SeedValue] {
    [.number(trip), .number(position + 1), .text(stopID(stop)), .number(arrival), .number(arrival + 20)]
  }
}

extension SeedValue { static func number(_ number: Int) -> Self { .integer(Int64(number)) } }

/// Invented names of stops and lines in the style of Berlin's.
enum DemoNames {
  private static let beginnings = [
    "Ahorn", "Amsel", "Anger", "Birken", "Blumen", "Brunnen", "Buchen", "Dahlien", "Dorf", "Drossel",
    "Eichen", "Erlen", "Falken", "Feld", "Fichten", "Finken", "Garten", "Ginster", "Glocken", "Hafen",
    "Hasel", "Heide", "Holunder", "Insel", "Kastanien", "Kirsch", "Kranich", "Lärchen", "Lerchen", "Linden",
    "Mühlen", "Nelken", "Pappel", "Quell", "Reiher", "Rosen", "Schleusen", "Schwanen", "See", "Sonnen",
    "Spatzen", "Tannen", "Ulmen", "Wald", "Weiden", "Wiesen", "Ziegel", "Zeisig",
  ]
  private static let endings = [
    "allee", "brücke", "damm", "grund", "hof", "markt", "park", "pfad", "platz", "promenade", "ring",
    "straße", "tor", "ufer", "weg", "winkel",
  ]
  private static let quarters = [
    "Nord", "Süd", "Ost", "West", "Mitte", "Altstadt", "Vorstadt", "Siedlung", "Schule", "Friedhof",
    "Rathaus",
  ]
  private static let kinds = ["S ", "U ", "S+U "]

  static func stop(_ generator: inout SeededGenerator) -> String {
    let kind = generator.below(20) == 0 ? generator.pick(kinds) : ""
    let name = kind + generator.pick(beginnings) + generator.pick(endings)
    return generator.below(3) == 0 ? "\(name) (\(generator.pick(quarters)))" : name
  }

  static func line(_ number: Int) -> (name: String, kind: String, color: String) {
    switch number {
    case 0..<16: ("S\(number + 1)", "suburban", "#008D4F")
    case 16..<26: ("U\(number - 15)", "underground", "#115D91")
    case 26..<50: ("M\(number - 25)", "tram", "#BE1414")
    default: ("\(number + 50)", "bus", "#A5027D")
    }
  }
}

/// A generator with the same numbers on every platform for a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`. The standard library's mapping of bits to ranges may change between releases.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
