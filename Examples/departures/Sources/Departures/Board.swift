import SeedClient

extension SeedModel {
  /// The model that the app's queries are written for.
  public static let departures = SeedModel(
    dataset: "departures", version: "1.0",
    schema: "b67f4989e01f274304006f4153c19be572ced11d91a5324e57f78c4ad45cbee5")
}

/// A row of the board.
public struct Departure: Decodable, Hashable, Sendable {
  public let time: String, line: String, destination: String, platform: Int?
}

/// The content of the screen, independent of the user interface.
public actor Board {
  private let seeds: SeedStore
  private let stop: String
  /// A message to the user beside the departures.
  public private(set) var notice: String?

  /// Creates a board of one stop.
  public init(_ seeds: SeedStore, stop: String) { (self.seeds, self.stop) = (seeds, stop) }

  private var query: SeedQuery {
    "SELECT time, line, destination, platform FROM departure WHERE stop = \(stop) ORDER BY time"
  }

  /// Shows the departures now and after every change. Ends with its task, or if the data does not fit this app.
  public func follow(show: @Sendable ([String]) -> Void) async {
    do {
      for try await departures in seeds.observe(query, as: Departure.self) { show(departures.map(Self.line)) }
    } catch { notice = "These departures cannot be shown: \(error)" }
  }

  private static func line(_ departure: Departure) -> String {
    let platform = departure.platform.map { ", platform \($0)" } ?? ""
    return "\(departure.time) \(departure.line) \(departure.destination)\(platform)"
  }

  /// Downloads the newest departures. A failed update keeps the old data.
  public func refresh() async {
    do {
      try await seeds.update()
      notice = nil
    } catch {
      notice = SeedError(error).isRetryable ? "Perhaps not the newest departures." : "Please update this app."
      _ = try? await seeds.prepare()
    }
  }
}
