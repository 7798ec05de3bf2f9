import SeedFormat
import SeedSystem
import SeedTrust

extension PageSeries {
  /// Shows which models are still in use, so the operator can decide whether to retire an old one.
  var clientShares: HTML {
    """
    <h3>Clients</h3>
    <p>\(verdict(own.reduce(0) { $0 + $1.count }))</p>
    \(crowd)
    \(own.isEmpty ? nil : shares(own))
    """
  }

  var own: [ClientCounts.Requests] {
    clients.requests.filter { $0.client.isServed(by: series) }.sorted { $0.client.model < $1.client.model }
  }

  private func verdict(_ count: Int) -> HTML {
    let began: HTML = "this front began to count, \(HTML.time(clients.since))"
    guard count == 0 else {
      return
        "Since \(began), clients of \(name) have asked \(HTML.number(count, "time", "times")): it is in use."
    }
    return "No client of \(name) has asked since \(began).\(hasSuccessor ? Self.retirement : nil)"
  }

  private static let retirement: HTML = """
     It may be retired once that time covers your users’ longest pause, and if no cache answers for this front.
    """

  private func shares(_ counts: [ClientCounts.Requests]) -> HTML {
    let rows = counts.map { one -> HTML in
      .row(named: "\(one.client.model)", [.numberCell(.number(one.count))])
    }
    let heads: [HTML] = [.head("Model"), .numberHead("Requests")]
    return .table("\(id):clients", "Requests that reached this front", heads, rows)
  }

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
