import SeedFormat

/// Stops and stop times in the proportions of Berlin's timetable.
struct TransitWorkload: Workload {
  let name: String
  let stopTimes: Int
  var title: String { "objc.io 4: 13,000 stops, \(stopTimes) stop times" }
  private static let stops = 13_000
  private static let stopsPerTrip = 25
  var rowCount: Int { Self.stops + stopTimes }

  let tables = [
    TableShape(name: "stops", columns: [.text("id"), .text("name"), .real("lat"), .real("lon")]),
    TableShape(
      name: "stop_times",
      columns: [.integer("trip"), .integer("place"), .text("arrival"), .text("departure"), .text("stop")],
      keyCount: 2, references: ["stop": "stops"]),
  ]

  func generate(_ writer: DatasetWriter, _ phase: Phase) throws {
    var generator = DataGenerator(seed: 13)
    try writer.beginDocument("{")
    writer.beginList("\"stops\":[")
    for number in 0..<Self.stops {
      try writer.object(
        0, [.text(stop(number)), .text(generator.text(2)), generator.real(53), generator.real(14)])
    }
    writer.endList("],")
    writer.beginList("\"stop_times\":[")
    for number in 0..<stopTimes { try writer.object(1, stopTime(number, &generator)) }
    try writer.endDocument("]}")
  }

  private func stop(_ number: Int) -> String { "de:11000:9\(String(number + 100_000).dropFirst())" }

  private func stopTime(_ number: Int, _ generator: inout DataGenerator) -> [SeedValue] {
    let (trip, place) = (number / Self.stopsPerTrip, number % Self.stopsPerTrip)
    let minute = (trip * 7 + place * 2) % 1_440
    return [
      .integer(Int64(trip)), .integer(Int64(place)), .text(time(minute)), .text(time(minute + 1)),
      .text(stop(generator.below(Self.stops))),
    ]
  }

  private func time(_ minute: Int) -> String {
    "\(String(100 + minute / 60).dropFirst()):\(String(100 + minute % 60).dropFirst()):00"
  }
}
