/// What people read of a service in `systemctl status`.
struct ServiceStatus: Hashable {
  /// Series that the front serves.
  var series = 0
  /// Why the front cannot load what is published.
  var failure: String?
  /// What the last steps failed by.
  var failures: [String] = []

  var text: String {
    let served = series == 0 ? "Serving nothing yet" : "Serving \(series) series"
    return ([served] + [failure].compactMap(\.self) + failures).map(\.unclosed).joined(separator: "; ")
  }
}
