import SeedFormat
import SeedTrust

extension Problem {
  static func badParameter(_ name: String, found: String?, expected: String) -> Problem {
    let detail =
      found.map { "Expected \(expected) for the parameter \"\(name)\", found \"\($0)\"." }
      ?? "The parameter \"\(name)\" is missing: expected \(expected)."
    return Problem(.badRequest, detail, [JSONMember("parameter", .string(name))])
  }

  static func unknownParameter(_ name: String, known: [String]) -> Problem {
    let expected = known.isEmpty ? "no parameters" : "only \(known.joined(separator: ", "))"
    return Problem(
      .badRequest, "The parameter \"\(name)\" is unknown: expected \(expected).",
      [JSONMember("parameter", .string(name))])
  }

  static func unpublishedEncoding(_ encoding: ContentEncoding, published: String) -> Problem {
    Problem(
      .notFound, "No snapshot is currently published as \(encoding.rawValue), only as \(published).",
      [JSONMember("parameter", "encoding")])
  }

  static func unknownDataset(_ name: String, known: [DatasetName]) -> Problem {
    Problem(
      .unknownDataset, "There is no dataset \"\(name)\". See /v1 for the published datasets.",
      [JSONMember("datasets", JSONValue(strings: known.map(\.text)))])
  }

  static func unknownModel(_ model: ModelVersion, known: [ModelVersion]) -> Problem {
    Problem(
      .unknownModel, "No data is published for model \(model).",
      [JSONMember("models", JSONValue(strings: known.map(\.description)))])
  }

  static func modelNotYetPublished(_ model: ModelVersion, newest: ModelVersion) -> Problem {
    Problem(
      .modelNotYetPublished, "Model \(model) is not published yet: the newest published model is \(newest).",
      [JSONMember("newest", .string(newest.description))])
  }

  static func modelRetired(_ series: SeedSeries, message: String?) -> Problem {
    Problem(
      .modelRetired, message ?? "\(series) is retired and gets no more data: use a newer major.",
      [JSONMember("series", JSONValue(series.major))])
  }

  static func versionGone(_ since: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .versionGone, "Changes since version \(since) are no longer published: get the snapshot.",
      model.members(since))
  }

  static func otherEpoch(_ since: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .versionGone,
      "The series began another epoch, \(model.state.epoch): your version \(since) belongs to an earlier one. Get "
        + "the snapshot.", model.members(since))
  }

  /// Does not offer a snapshot, because the client can still get all changes by a request without `to`.
  static func noDelta(from since: SeedVersion, to end: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .versionGone,
      "No published deltas lead from version \(since) to exactly version \(end): omit \"to\" to get all changes up to "
        + "version \(model.state.head), or choose another version.", model.members(since, to: end))
  }

  static func versionAhead(_ since: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .versionAhead,
      "Version \(since) is not published here; the newest is \(model.state.head): get the snapshot.",
      model.members(since))
  }

  /// For a client that got newer data from another front: a snapshot from this copy would be older. `wanted` is the
  /// client's version or the request's `to` parameter, whichever is later.
  static func copyBehind(_ wanted: SeedVersion, _ since: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .overloaded,
      "Version \(wanted) has not reached this copy yet; the copy is at version \(model.state.head): ask again in a few "
        + "seconds, with the same parameters.", model.span(since))
  }

  static func epochAhead(_ since: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .overloaded,
      "This copy cannot decide yet whether the epoch of version \(since) is newer than its own, \(model.state.epoch): "
        + "ask again in a few seconds, with the same parameters.", model.span(since))
  }

  static func endBefore(_ end: SeedVersion, since: SeedVersion) -> Problem {
    badParameter(
      "to", found: end.description, expected: "a version from \(since) on, because since is \(since),")
  }

  static func endAhead(_ end: SeedVersion, since: SeedVersion, _ model: ServedModel) -> Problem {
    Problem(
      .versionAhead,
      "Version \(end) is not published here yet; the newest is \(model.state.head): omit \"to\", or ask again "
        + "later.", model.members(since, to: end))
  }

  static func noFacts(_ series: SeedSeries) -> Problem {
    Problem(
      .notFound,
      "This front has no readable facts of \(series): followers do not copy facts, and a publisher can turn facts off. See "
        + "/v1/\(series.dataset) for the versions.")
  }

  static let notFound = Problem(
    .notFound, "Nothing is published under this path. See /v1 for the published datasets.")
  static let noNewerRoot = Problem(
    .notFound, "There is no newer root. This is not an error: clients request the next root regularly.")
  static let noPage = Problem(.notFound, "This front has no web page. See /v1 for the published datasets.")
  /// A 404, as from a static host: clients then use another object, whereas after a 500 they only retry.
  static let lost = Problem(
    .notFound, "This published file is missing or damaged here: the operator must repair it.")
  static let damaged = Problem(
    .internalError, "A published file is missing or damaged: the operator must repair it.")
  static let away = Problem(
    .publicationUnavailable,
    "The publication's files are not available at the moment. Try again in a few seconds.")
  static let notReady = Problem(
    .publicationUnavailable,
    "This front has no publication or snapshot to serve yet. Try again in a few seconds.")
}

extension ServedModel {
  /// For a client that cannot continue from its version.
  fileprivate func members(_ since: SeedVersion) -> [JSONMember] {
    [JSONMember("snapshot", .string(FrontPath.snapshot(series.series.dataset, version)))] + span(since)
  }

  /// For a client that can continue from its version, but not to the requested one.
  fileprivate func members(_ since: SeedVersion, to end: SeedVersion) -> [JSONMember] {
    [JSONMember("parameter", "to"), JSONMember("to", JSONValue(end.number))] + span(since)
  }

  fileprivate func span(_ since: SeedVersion) -> [JSONMember] {
    .init(
      ("since", JSONValue(since.number)), ("floor", JSONValue(state.floor.number)),
      ("head", JSONValue(state.head.number)))
  }
}
