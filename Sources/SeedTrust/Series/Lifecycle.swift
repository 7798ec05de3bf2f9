package import SeedFormat

/// How long a series will go on.
public enum Lifecycle: Hashable, Sendable {
  /// No end is known.
  case active
  /// It still gets updates, and apps should move on: by `sunset`, a date as the operator wrote it.
  case deprecated(sunset: String?, message: String?)
  /// It gets no more updates.
  case retired(message: String?)
}

extension Lifecycle {
  /// What ``json`` wrote; `nil` where the object has no such member.
  package init?(readingIfPresent name: String, in fields: inout JSONObjectReader) throws(MalformedJSON) {
    guard var object = try fields.objectIfPresent(name) else { return nil }
    try self.init(reading: &object)
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    let message = try fields.stringIfPresent("message")
    switch try fields.string("state") {
    case "active": self = .active
    case "deprecated": self = .deprecated(sunset: try fields.stringIfPresent("sunset"), message: message)
    case "retired": self = .retired(message: message)
    case let state: throw fields.error("state", "expected active, deprecated or retired, found \(state)")
    }
  }

  /// As it stands in metadata.
  package var json: JSONValue {
    switch self {
    case .active: ["state": "active"]
    case .deprecated(let sunset, let message):
      .object(
        .init(
          ("state", "deprecated"), ("sunset", sunset.map(JSONValue.string)),
          ("message", message.map(JSONValue.string))))
    case .retired(let message):
      .object(.init(("state", "retired"), ("message", message.map(JSONValue.string))))
    }
  }
}
