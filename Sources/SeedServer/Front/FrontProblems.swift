import SeedFormat
import SeedHTTP
import SeedTrust

extension HTTPResponse {
  /// The problem as an answer that no cache keeps.
  init(_ problem: Problem) {
    self.init(
      status: problem.type.status,
      headers: ["Content-Type": Problem.mediaType, "Cache-Control": CacheRule.never],
      body: .bytes(problem.json.bytes))
    switch problem.type {
    case .methodNotAllowed: headers.append("Allow", HTTPMethod.allowed)
    case .overloaded: headers.append("Retry-After", CacheRule.retryAfterSeconds)
    default: break
    }
  }
}

// What the front refuses, each with the members that a program decides by.
extension Problem {
  static func badRequest(_ parameter: String, found: String?, expected: String) -> Problem {
    let found = found.map { "found \"\($0)\"" } ?? "it is missing"
    return Problem(
      .badRequest, "the parameter \"\(parameter)\": \(found), expected \(expected)",
      [JSONMember("parameter", .string(parameter))])
  }

  static func unreadable(_ error: HTTPQueryError) -> Problem {
    let parameter: String? =
      switch error {
      case .missingName: nil
      case .badPercentEncoding(let name), .invalidUTF8(let name), .nul(let name), .duplicate(let name): name
      }
    return Problem(
      .badRequest, error.description, parameter.map { [JSONMember("parameter", .string($0))] } ?? [])
  }

  static func unpublishedEncoding(_ encoding: ContentEncoding, published: String) -> Problem {
    Problem(
      .notFound, "no snapshot is published as \(encoding.rawValue) at the moment, only as \(published)",
      [JSONMember("parameter", "encoding")])
  }

  static func unknownDataset(_ name: String, known: [DatasetName]) -> Problem {
    Problem(
      .unknownDataset, "there is no dataset \"\(name)\"; /v1 lists what there is",
      [JSONMember("datasets", .array(known.map { .string($0.text) }))])
  }

  static func unknownModel(_ model: ModelVersion, known: [ModelVersion]) -> Problem {
    Problem(
      .unknownModel, "no data is published for the model \(model)",
      [JSONMember("models", .array(known.map { .string($0.description) }))])
  }

  static func modelNotYetPublished(_ model: ModelVersion, newest: ModelVersion) -> Problem {
    Problem(
      .modelNotYetPublished,
      "the newest published model is \(newest): what is published does not have all that \(model) needs",
      [JSONMember("newest", .string(newest.description))])
  }

  static func modelRetired(_ series: Series, message: String?) -> Problem {
    Problem(
      .modelRetired, message ?? "the models of \(series) get no more data: use a newer major",
      [JSONMember("series", .number(series.major))])
  }

  static func versionGone(_ since: Version, _ query: ModelQuery) -> Problem {
    Problem(
      .versionGone, "no changes lead on from version \(since) any more: take the snapshot",
      query.versionMembers(since))
  }

  static func versionAhead(_ since: Version, _ query: ModelQuery) -> Problem {
    Problem(
      .versionAhead,
      "version \(since) was never published here, the newest is \(query.series.state.head): take the snapshot",
      query.versionMembers(since))
  }

  static let notFound = Problem(.notFound, "nothing is published under this path; /v1 lists what there is")

  static let methodNotAllowed = Problem(.methodNotAllowed, "only \(HTTPMethod.allowed) are answered")

  static let damaged = Problem(
    .internalError, "a published file is missing or damaged: the operator has to look at it")

  static let notReady = Problem(.overloaded, "nothing can be served yet: try again in a moment")

  static let exhausted = Problem(.overloaded, "too many files are open: try again in a moment")
}

extension ModelQuery {
  fileprivate func versionMembers(_ since: Version) -> [JSONMember] {
    [
      JSONMember("snapshot", .string(FrontPath.snapshot(series.series.dataset, model))),
      JSONMember("since", .number(since.number)),
      JSONMember("floor", .number(series.state.floor.number)),
      JSONMember("head", .number(series.state.head.number)),
    ]
  }
}
