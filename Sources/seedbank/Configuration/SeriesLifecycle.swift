import SeedFormat
import SeedSystem

/// What clients of one major are told about its future.
struct SeriesLifecycle: Hashable, Sendable {
  enum State: String, Hashable, Sendable, CaseIterable {
    case active, deprecated, retired
  }

  var state: State
  /// The day on which it ends, `YYYY-MM-DD`.
  var sunset: String?
  /// For the people who use the app.
  var message: String?
}

enum LifecycleKey: String, ConfigurationKey {
  case state, sunset, message
}

extension SeriesLifecycle {
  /// Reads `{"1": {"state": "deprecated", …}, …}`.
  static func table(
    _ value: JSONValue?, at place: ConfigurationPlace
  ) throws(ConfigurationError) -> [Int: SeriesLifecycle] {
    var table: [Int: SeriesLifecycle] = [:]
    for member in try value?.commentlessMembers(at: place) ?? [] {
      let inner = place.member(member.name)
      guard let major = canonicalDecimal(member.name, in: 1...Limits.modelNumber) else {
        throw inner.error(
          "expected a model's major as the key, such as \"2\", found \"\(member.name.clipped)\"")
      }
      table[major] = try SeriesLifecycle(ConfigurationObject(member.value, at: inner))
    }
    return table
  }

  private init(_ object: ConfigurationObject<LifecycleKey>) throws(ConfigurationError) {
    guard let state = try object.text(.state) else {
      throw object.place(of: .state).error(
        "expected \(alternatives(State.allCases.map(\.rawValue))), found nothing")
    }
    self.state = try choice(state, at: object.place(of: .state))
    sunset = try object.text(.sunset)
    message = try object.text(.message)
    if let sunset, UTCTime(day: sunset) == nil {
      throw object.place(of: .sunset).error("expected a day as YYYY-MM-DD, found \"\(sunset.clipped)\"")
    }
  }
}
