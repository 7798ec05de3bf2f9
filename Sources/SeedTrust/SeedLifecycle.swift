package import SeedFormat

/// The support state of a series.
public enum SeedLifecycle: Hashable, Sendable {
  /// Updated, with no planned end.
  case active
  /// Still updated, but apps should move to a newer major by `sunset`, a day such as `2027-06-30`.
  case deprecated(sunset: String?, message: String?)
  /// No longer updated.
  case retired(message: String?)

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    let (state, message) = (try fields.string("state"), try fields.stringIfPresent("message"))
    guard let lifecycle = Self(state, sunset: try fields.stringIfPresent("sunset"), message: message) else {
      throw fields.error("state", "expected active, deprecated or retired, found \(state)")
    }
    self = lifecycle
  }

  package var isRetired: Bool { if case .retired = self { true } else { false } }

  package static let states = ["active", "deprecated", "retired"]

  /// Returns nil for an unknown state. Ignores parameters that the state does not have.
  package init?(_ state: String, sunset: String?, message: String?) {
    switch state {
    case "active": self = .active
    case "deprecated": self = .deprecated(sunset: sunset, message: message)
    case "retired": self = .retired(message: message)
    default: return nil
    }
  }

  package var word: String {
    switch self {
    case .active: "active"
    case .deprecated: "deprecated"
    case .retired: "retired"
    }
  }

  /// The day of the planned end, such as `2027-06-30`.
  public var sunset: String? { if case .deprecated(let sunset, _) = self { sunset } else { nil } }

  /// A message for the app's users.
  public var message: String? {
    switch self {
    case .active: nil
    case .deprecated(_, let message), .retired(let message): message
    }
  }

  package var json: JSONValue {
    .object(
      .init(
        ("state", .string(word)), ("sunset", sunset.map(JSONValue.string)),
        ("message", message.map(JSONValue.string))))
  }
}
