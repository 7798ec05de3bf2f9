import SeedClient

extension SeedModel {
  /// What the app's queries were written for.
  public static let departures = SeedModel(
    dataset: "departures", model: "1.0",
    schema: "b67f4989e01f274304006f4153c19be572ced11d91a5324e57f78c4ad45cbee5")
}

/// A departure, as the board shows it.
public struct Departure: Decodable, Hashable, Sendable {
  public let time: String, line: String, destination: String, platform: Int?
}

/// What the screen shows, whatever draws it.
public actor Board {
  private let seeds: SeedStore
  private let stop: String
  /// What the user is told besides.
  public private(set) var notice: String?

  /// A board of one stop.
  public init(_ seeds: SeedStore, stop: String) { (self.seeds, self.stop) = (seeds, stop) }

  private var query: SeedQuery {
    "SELECT time, line, destination, platform FROM departure WHERE stop = \(stop) ORDER BY time"
  }

  /// Shows what is there, and again whatever changes. Ends with its task, or where the data does not fit this app.
  public func follow(show: @Sendable ([String]) -> Void) async {
    do {
      for try await departures in seeds.rows(query, as: Departure.self) { show(departures.map(Self.line)) }
    } catch { notice = "These departures cannot be shown: \(error)" }
  }

  private static func line(_ departure: Departure) -> String {
    let platform = departure.platform.map { ", platform \($0)" } ?? ""
    return "\(departure.time) \(departure.line) \(departure.destination)\(platform)"
  }

  /// Brings the newest departures; what was there stays where that fails.
  public func refresh() async {
    do {
      try await seeds.update()
      notice = nil
    } catch {
      notice = error.isRetryable ? "Perhaps not the newest departures." : "Please update this app."
      _ = try? await seeds.prepare()
    }
  }
}
