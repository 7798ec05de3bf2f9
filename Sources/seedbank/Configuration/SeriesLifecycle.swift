import SeedFormat

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
    if let sunset, !isCalendarDay(sunset) {
      throw object.place(of: .sunset).error("expected a day as YYYY-MM-DD, found \"\(sunset.clipped)\"")
    }
  }
}

/// Whether a text is a day of the Gregorian calendar, as `2026-02-28`.
func isCalendarDay(_ text: String) -> Bool {
  let parts = text.split(separator: "-", omittingEmptySubsequences: false)
  guard parts.map(\.utf8.count) == [4, 2, 2],
    parts.joined().allSatisfy({ $0.isASCII && $0.isNumber }),
    let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
  else { return false }
  let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return (1...days[month - 1]).contains(day)
}
