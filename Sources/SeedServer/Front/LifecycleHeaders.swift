import SeedFormat
import SeedHTTP
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
    if let day = sunset, let time = try? UTCTime("\(day)T00:00:00Z") {
      headers.append("Sunset", HTTPDate(secondsSinceEpoch: time.secondsSinceEpoch).text)
    }
    return headers
  }
}
