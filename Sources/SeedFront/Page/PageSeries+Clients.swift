import SeedFormat
import SeedSystem
import SeedTrust

extension PageSeries {
  /// Shows which models are still in use, so the operator can decide whether to retire an old one.
  var clientShares: HTML {
    """
    <h3>Clients</h3>
    <p>\(verdict(own.reduce(0) { $0 + $1.count }))</p>
    \(own.isEmpty ? nil : shares(own))
    """
  }

  private var own: [ClientCounts.Requests] {
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
}
