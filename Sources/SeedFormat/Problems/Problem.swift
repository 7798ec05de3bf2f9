/// The kinds of refusals that the front knows. Their names are stable: clients decide by them.
package enum ProblemType: String, Hashable, Sendable, CaseIterable {
  case badRequest = "bad-request"
  case unknownDataset = "unknown-dataset"
  case unknownModel = "unknown-model"
  case modelNotYetPublished = "model-not-yet-published"
  case modelRetired = "model-retired"
  case versionGone = "version-gone"
  case versionAhead = "version-ahead"
  case notFound = "not-found"
  case methodNotAllowed = "method-not-allowed"
  case internalError = "internal-error"
  case overloaded = "overloaded"
  case preconditionFailed = "precondition-failed"
  case rangeNotSatisfiable = "range-not-satisfiable"
  case versionNotSupported = "version-not-supported"
  case targetTooLong = "target-too-long"
  case headTooLarge = "head-too-large"

  /// The HTTP status that goes with it.
  package var status: Int {
    switch self {
    case .badRequest: 400
    case .unknownDataset, .unknownModel, .modelNotYetPublished, .notFound: 404
    case .methodNotAllowed: 405
    case .modelRetired, .versionGone, .versionAhead: 410
    case .internalError: 500
    case .overloaded: 503
    case .preconditionFailed: 412
    case .rangeNotSatisfiable: 416
    case .versionNotSupported: 505
    case .targetTooLong: 414
    case .headTooLarge: 431
    }
  }

  /// The same in words.
  package var title: String {
    guard self != .versionNotSupported else { return "HTTP version not supported" }
    return rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("-", with: " ")
  }
}

/// A refusal as RFC 9457 writes it: what an HTTP client gets in place of what it asked for.
package struct Problem: Error, Hashable, Sendable {
  /// Its kind, from which status and title follow.
  package let type: ProblemType
  /// One sentence about this occurrence: what was found, what was expected, what to do.
  package let detail: String
  /// Further members for programs, in order.
  package let members: [JSONMember]

  /// The media type of ``json``.
  package static let mediaType = "application/problem+json"

  /// A refusal with as many extra members as it needs.
  package init(_ type: ProblemType, _ detail: String, _ members: [JSONMember] = []) {
    self.type = type
    self.detail = detail
    self.members = members
  }

  /// The document: the members that every problem has, then its own.
  package var json: JSONValue {
    let common = [
      JSONMember("type", .string(type.rawValue)), JSONMember("title", .string(type.title)),
      JSONMember("status", .integer(Int64(type.status))), JSONMember("detail", .string(detail)),
    ]
    return .object(common + members)
  }
}
