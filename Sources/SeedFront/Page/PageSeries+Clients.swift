import SeedFormat
import SeedSystem
import SeedTrust

extension PageSeries {
  /// Shows which models are still in use, so the operator can decide whether to retire an old one.
  var clientShares: HTML {
    let own = clients.requests.filter { $0.client.isServed(by: series) }
      .sorted { $0.client.model < $1.client.model }
    let since: HTML = "since this front began to count, \(HTML.time(clients.since))"
    guard !own.isEmpty else {
      return """
        <h3>Clients</h3>
        <p>No client of \(name) has asked \(since). A cache may have answered for it.</p>
        """
    }
    let rows = own.map { HTML.row(named: "\($0.client.model)", [.numberCell(.number($0.count))]) }
    return """
      <h3>Clients</h3>
      \(HTML.table("\(id):clients", "Requests \(since)", [.head("Model"), .numberHead("Requests")], rows))
      """
  }
}
