package import SeedFormat

/// How long a series will go on.
public enum Lifecycle: Hashable, Sendable {
  /// No end is known.
  case active
  /// It still gets updates, and apps should move on: by `sunset`, a date as the operator wrote it.
  case deprecated(sunset: String?, message: String?)
  /// It gets no more updates.
  case retired(message: String?)

  /// Reads what ``json`` wrote; `nil` where the object has no such member.
  package init?(readingIfPresent name: String, in fields: inout JSONObjectReader) throws(MalformedJSON) {
    guard var object = try fields.objectIfPresent(name) else { return nil }
    try self.init(reading: &object)
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    let (state, message) = (try fields.string("state"), try fields.stringIfPresent("message"))
    guard let lifecycle = Self(state, sunset: try fields.stringIfPresent("sunset"), message: message) else {
      throw fields.error("state", "expected active, deprecated or retired, found \(state)")
    }
    self = lifecycle
  }

  /// Whether it gets no more updates.
  package var isRetired: Bool { if case .retired = self { true } else { false } }

  /// The names of the states.
  package static let states = ["active", "deprecated", "retired"]

  /// `nil` where no state has that name. What a state does not know of is left out.
  package init?(_ state: String, sunset: String?, message: String?) {
    switch state {
    case "active": self = .active
    case "deprecated": self = .deprecated(sunset: sunset, message: message)
    case "retired": self = .retired(message: message)
    default: return nil
    }
  }

  /// The state's name.
  package var word: String {
    switch self {
    case .active: "active"
    case .deprecated: "deprecated"
    case .retired: "retired"
    }
  }

  /// The day on which it ends, as the operator wrote it.
  package var sunset: String? { if case .deprecated(let sunset, _) = self { sunset } else { nil } }

  /// For the people who use the app.
  package var message: String? {
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
