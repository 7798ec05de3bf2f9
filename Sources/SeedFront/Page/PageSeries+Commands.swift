import SeedFormat
import SeedTrust

extension PageSeries {
  /// The script replaces `$front` with the page's address, which the front does not know.
  var commands: HTML? {
    guard let root, snapshot != nil, !state.lifecycle.isRetired else { return nil }
    return """
      <h3>Commands</h3>
      <p class="quiet noscript">In a shell, first set <code>front</code> to this page’s address, such as
      <code>front=http://127.0.0.1:8080</code>.</p>
      <div class="commands">
      \(lines(root).map(Self.command))</div>
      """
  }

  private func lines(_ root: String) -> [(caption: String, line: String)] {
    let (name, model) = (series.dataset, state.model)
    let changes = FrontPath.changes(name, model, since: state.floor.description, epoch: state.epoch.text)
    let pull =
      "seedbank pull \"$front\" --dataset \(name) --model \(model) --store \(id)-store --root root.json"
    return [
      (
        "The newest snapshot",
        // Not the dataset's name alone, because the operator's own file may have it.
        "curl -fL -o \(name)-snapshot.sqlite.gz \"$front\(FrontPath.snapshot(name, model))\" "
          + "&& gunzip -f \(name)-snapshot.sqlite.gz"
      ),
      ("The changes since version \(state.floor)", "curl -f --compressed \"$front\(changes)\""),
      ("The root file, the trust anchor", "curl -fo root.json \"$front/metadata/\(root)\""),
      ("A verified copy; with --watch it stays current", pull),
    ]
  }

  private static func command(_ caption: String, _ line: String) -> HTML {
    """
    <figure class="command"><figcaption>\(caption)</figcaption><pre tabindex="0"><code>\(line)</code></pre>\
    <button type="button" class="copy" aria-label="Copy: \(caption)">Copy</button></figure>

    """
  }

  // MARK: - Clients

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
    clients.requests.filter { $0.dataset == series.dataset.text && $0.major == series.major }
      .sorted { $0.model < $1.model }
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
    let rows = counts.map { one -> HTML in .row(named: "\(one.model)", [.numberCell(.number(one.count))]) }
    let heads: [HTML] = [.head("Model"), .numberHead("Requests")]
    return .table("\(id):clients", "Requests that reached this front", heads, rows)
  }
}
