// Made by 'seedbank config swift'.
import SeedClient

nonisolated extension SeedModel {
  static let transit = SeedModel(
    dataset: "transit", version: "2.1",
    schema: "d19a709feba10ba639b3d8240fc4188f736bff9e4c12d82d2e75234435bc1816")
}

/// A row of the table line.
nonisolated struct Line: Codable, Hashable, Sendable, Identifiable {
  let id: Int
  let name: String
  let kind: String
  let color: String
  let `operator`: String?
}

/// A row of the table notice.
nonisolated struct Notice: Codable, Hashable, Sendable, Identifiable {
  let id: Int
  let lineId: Int
  let text: String
}

/// A row of the table stop.
nonisolated struct Stop: Codable, Hashable, Sendable, Identifiable {
  let id: String
  let name: String
  let latitude: Double
  let longitude: Double
  let zone: String
  let stepFree: Int?
}

/// A row of the table stop_time.
nonisolated struct StopTime: Codable, Hashable, Sendable {
  let tripId: Int
  let position: Int
  let stopId: String
  let arrival: Int
  let departure: Int
  let dwell: Int?
}

/// A row of the table trip.
nonisolated struct Trip: Codable, Hashable, Sendable, Identifiable {
  let id: Int
  let lineId: Int
  let headsign: String
  let direction: Int
  let remark: String?
}

/// A row of the view departure_board.
nonisolated struct DepartureBoard: Codable, Hashable, Sendable {
  let stopId: String?
  let departure: Int?
  let line: String?
  let headsign: String?
}
