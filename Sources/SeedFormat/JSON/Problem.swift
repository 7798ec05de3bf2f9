/// The kinds of errors that the front reports. The names are stable, because clients depend on them.
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
  case publicationUnavailable = "publication-unavailable"
  case preconditionFailed = "precondition-failed"
  case rangeNotSatisfiable = "range-not-satisfiable"
  case versionNotSupported = "version-not-supported"
  case targetTooLong = "target-too-long"
  case headTooLarge = "head-too-large"

  package var status: Int {
    switch self {
    case .badRequest: 400
    case .unknownDataset, .unknownModel, .modelNotYetPublished, .notFound: 404
    case .methodNotAllowed: 405
    case .modelRetired, .versionGone, .versionAhead: 410
    case .internalError: 500
    case .overloaded, .publicationUnavailable: 503
    case .preconditionFailed: 412
    case .rangeNotSatisfiable: 416
    case .versionNotSupported: 505
    case .targetTooLong: 414
    case .headTooLarge: 431
    }
  }

  package var title: String {
    guard self != .versionNotSupported else { return "HTTP version not supported" }
    return rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("-", with: " ")
  }
}

/// An RFC 9457 problem, sent instead of the requested resource.
package struct Problem: Error, Hashable, Sendable {
  package let type: ProblemType
  /// One sentence about this occurrence: the value found, the value expected, and the remedy.
  package let detail: String
  package let members: [JSONMember]

  package static let mediaType = "application/problem+json"

  package init(_ type: ProblemType, _ detail: String, _ members: [JSONMember] = []) {
    self.type = type
    self.detail = detail
    self.members = members
  }

  package var json: JSONValue {
    .object(
      .init(
        ("type", .string(type.rawValue)), ("title", .string(type.title)), ("status", JSONValue(type.status)),
        ("detail", .string(detail))) + members)
  }
}

/// One finding from checking a publication or a store.
package struct Finding: Hashable, Sendable {
  package enum Severity: String, Sendable, CaseIterable {
    /// Clients get wrong data or none.
    case error
    /// The data is sound, but an error will follow unless the operator acts.
    case warning
    case note
  }

  package let severity: Severity
  /// The file's path, relative to the examined folder if the file is in it.
  package let path: String
  package let problem: String
  package let remedy: String

  package init(_ severity: Severity, _ path: String, _ problem: String, remedy: String) {
    (self.severity, self.path, self.problem, self.remedy) = (severity, path, problem, remedy)
  }
}

extension [Finding] {
  package var areSound: Bool { !contains { $0.severity == .error } }

  /// The findings, stably sorted by severity.
  package var worstFirst: [Finding] {
    Finding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
  }
}
