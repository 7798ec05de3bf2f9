import SeedFormat
import SeedSystem
import SeedTrust

extension PageSeries {
  /// Shows which models are still in use, so the operator can decide whether to retire an old one.
  var clientShares: HTML {
    let since: HTML = "since this front began to count, \(HTML.time(clients.since))"
    guard !own.isEmpty else {
      return """
        <h3>Clients</h3>
        <p>No client of \(name) has asked \(since). A cache may have answered for it.</p>
        \(crowd)
        """
    }
    let rows = own.map { HTML.row(named: "\($0.client.model)", [.numberCell(.number($0.count))]) }
    return """
      <h3>Clients</h3>
      \(crowd)
      \(HTML.table("\(id):clients", "Requests \(since)", [.head("Model"), .numberHead("Requests")], rows))
      """
  }

  private var own: [ClientCounts.Requests] {
    clients.requests.filter { $0.client.isServed(by: series) }.sorted { $0.client.model < $1.client.model }
  }

  private var crowd: HTML? {
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
