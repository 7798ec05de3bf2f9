import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

extension Router {
  func counts(_ view: CatalogView) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: ["Content-Type": FrontMetrics.mediaType, "Cache-Control": CacheRule.never],
      body: .bytes(metrics.page(view)))
  }

  func readiness(_ view: CatalogView) -> HTTPResponse {
    let isEnding = metrics.load.isEnding
    let isReady = !isEnding && view.isReady
    let (signatures, now, lifetime) = (view.catalog?.signatures ?? [], now(), view.reportedLifetimeSeconds)
    let detail: [JSONMember] = .init(
      ("ready", .bool(isReady)), ("series", .array((view.catalog?.allSeries ?? []).map(view.readiness))),
      ("signatures", .array(signatures.map { $0.json(at: now, lifetime) })),
      (
        "warnings",
        JSONValue(
          strings: signatures.warnings(at: now, lifetimeSeconds: lifetime) + view.missingFileWarnings
            + view.lateWarnings)
      ),
      ("follows", (view.follow?.current).map(view.looks)),
      ("error", isEnding ? "this process is shutting down" : view.failure.map(JSONValue.string)))
    return .health(.object(detail), status: isReady ? 200 : 503)
  }
}

extension HTTPResponse {
  static func health(_ json: JSONValue, status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": MediaType.json, "Cache-Control": CacheRule.never],
      body: .bytes(json.bytes + [UInt8(ascii: "\n")]))
  }
}

extension SignatureExpiry {
  fileprivate func json(at now: UTCTime, _ lifetimeSeconds: Int?) -> JSONValue {
    [
      "role": .string(role), "expires": .string(expires.text),
      "state": .string(state(at: now, lifetimeSeconds: lifetimeSeconds).rawValue),
    ]
  }
}

extension CatalogView {
  /// Omits the followed address, which only the log shows.
  fileprivate func looks(_ state: FollowState) -> JSONValue {
    .object(
      .init(
        ("lastLook", (state.lastGoodLook?.text).map(JSONValue.string)),
        ("failing", .bool(state.failure != nil)), ("late", .bool(standing.lateSince != nil))))
  }

  fileprivate func readiness(_ metadata: SeriesMetadata) -> JSONValue {
    .object(
      .init(
        ("dataset", .string(metadata.series.dataset.text)), ("major", JSONValue(metadata.series.major)),
        ("head", JSONValue(metadata.state.head.number)),
        ("snapshot", servedSnapshots(metadata).map(\.version).max().map { JSONValue($0.number) })))
  }
}
