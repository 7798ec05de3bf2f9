import SeedFormat
import SeedSystem
import SeedTrust

extension PageSeries {
  /// The polling interval, with advice if it is much shorter than the time between versions.
  var pollWords: HTML {
    let poll: HTML = "\(HTML.durationText(seconds: state.pollSeconds))"
    let rhythm = facts.flatMap { VersionRhythm($0, pollSeconds: state.pollSeconds, now: now) }
    guard let rhythm, let better = rhythm.betterPollSeconds else { return poll }
    return """
      \(poll)<span class="quiet">, \(HTML.number(Int(rhythm.looksPerVersion))) times for each new version:
      <code>pollSeconds</code> \(HTML.number(better)) would bring nearly as much for less</span>
      """
  }

  /// The estimated number of clients, or why there is no estimate.
  var crowd: HTML? {
    guard !clients.hidesLooks else {
      return """
        <p class="quiet">Only the proxy in front can count clients: its requests for
        <code>timestamp.json</code> per second, times \(HTML.number(state.pollSeconds)).</p>
        """
    }
    let rate = own.compactMap(\.looksPerSecond).reduce(0, +)
    guard rate > 0 else { return nil }
    let count = Self.rounded(rate * Double(state.pollSeconds))
    return """
      <p>There are about \(HTML.number(count, "client", "clients")), by how often they looked here lately.</p>
      """
  }

  /// Rounds to two digits, the accuracy of the estimate.
  static func rounded(_ count: Double) -> Int {
    var (size, step) = (Int(count.rounded()), 1)
    while size / step >= 100 { step *= 10 }
    size = (size + step / 2) / step * step
    return max(size, 1)
  }
}
