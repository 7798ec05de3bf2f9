import Foundation
import SeedClient
import SeedDatabase

/// Decodes rows as a type and builds the same type by hand, alternately in one process.
struct ReadBenchmark {
  private var isJSON = false
  private var rows = 1_000_000
  private var runs = 7

  /// Allowed ratio of the type's time to the time by hand.
  private static let bar = 1.3

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--rows": rows = max(1, rest.popFirst().flatMap(Int.init) ?? rows)
      case "--runs": runs = max(1, rest.popFirst().flatMap(Int.init) ?? runs)
      default: throw BenchmarkError.usage("unknown option \(argument)")
      }
    }
  }

  private struct Stop: Decodable, Equatable {
    let id: Int
    let code, name: String
    let lat, lon: Double
    let zone: String?
  }

  private static let query = "SELECT id, code, name, lat, lon, zone FROM stop"

  func run() throws {
    let connection = try Connection("rows", .memory)
    try connection.execute(
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, code TEXT, name TEXT, lat REAL, lon REAL, zone TEXT);
      WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < \(rows))
      INSERT INTO stop SELECT i, 'de:11000:' || i, 'Stop number ' || i, 52.5 + i / 1e6, 13.4 - i / 1e6,
        iif(i % 3 = 0, NULL, 'A') FROM i
      """)
    var (hand, typed) = ([Double](), [Double]())
    // The first run warms the table's pages.
    for run in 0...runs {
      let pair = try [byHand(connection), byType(connection)]
      guard pair[0].sum == pair[1].sum else { throw BenchmarkError.usage("the two ways read other rows") }
      if run > 0 {
        hand.append(pair[0].seconds)
        typed.append(pair[1].seconds)
      }
    }
    tell(ReadResult(rows: rows, hand: hand, typed: typed, bar: Self.bar))
  }

  private func tell(_ result: ReadResult) {
    if isJSON { return print(json(result)) }
    let format =
      "%d rows of six columns: by hand %.3f s, as a type %.3f s of the processor, × %.2f (at most %.1f)"
    print(
      String(format: format, result.rows, result.handSeconds, result.typedSeconds, result.ratio, result.bar))
  }

  private func byHand(_ connection: Connection) throws -> (seconds: Double, sum: Int) {
    try timed {
      let next = try connection.readOnlyStatement(Self.query).seedRows()
      var stops: [Stop] = []
      while let row = try next() {
        guard case .integer(let id) = row.values[0], case .text(let code) = row.values[1],
          case .text(let name) = row.values[2], case .real(let lat) = row.values[3],
          case .real(let lon) = row.values[4]
        else { throw BenchmarkError.usage("a row does not fit") }
        let zone: String? = if case .text(let zone) = row.values[5] { zone } else { nil }
        stops.append(Stop(id: Int(id), code: code, name: name, lat: lat, lon: lon, zone: zone))
      }
      return stops
    }
  }

  private func byType(_ connection: Connection) throws -> (seconds: Double, sum: Int) {
    try timed {
      let next = try connection.readOnlyStatement(Self.query).decoded(as: Stop.self)
      var stops: [Stop] = []
      while let stop = try next() { stops.append(stop) }
      return stops
    }
  }

  private func timed(_ read: () throws -> [Stop]) throws -> (seconds: Double, sum: Int) {
    let start = ProcessorTime.seconds()
    let stops = try read()
    let seconds = ProcessorTime.seconds() - start
    return (seconds, stops.reduce(0) { $0 &+ $1.id &+ $1.code.utf8.count &+ ($1.zone?.utf8.count ?? 0) })
  }
}

private struct ReadResult: Encodable {
  let rows: Int
  let handSeconds, typedSeconds, ratio, bar: Double

  init(rows: Int, hand: [Double], typed: [Double], bar: Double) {
    (self.rows, self.bar) = (rows, bar)
    handSeconds = median(hand)
    typedSeconds = median(typed)
    ratio = median(zip(hand, typed).map { $1 / $0 })
  }
}
