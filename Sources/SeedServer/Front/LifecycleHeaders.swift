import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

extension ModelQuery {
  /// What an answer says of the end of its series, in fields that generic clients and proxies know.
  ///
  /// `Deprecation` (RFC 9745) wants the time since when; what is known is that of the publication that says so.
  /// `Sunset` (RFC 8594) is the first second of the configured day.
  var lifecycleHeaders: HTTPHeaders {
    guard case .deprecated(let sunset, _) = series.state.lifecycle else { return [:] }
    var headers: HTTPHeaders = [
      "Deprecation": "@\(series.state.publishedAt.secondsSinceEpoch)",
      "Link": "</v1/\(series.series.dataset.text)>; rel=\"deprecation\"; type=\"application/json\"",
    ]
    if let sunset, let time = UTCTime(day: sunset) {
      headers.append("Sunset", time.httpText)
    }
    return headers
  }
}
