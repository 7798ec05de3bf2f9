import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

struct PageSeries: Sendable {
  let metadata: SeriesMetadata
  let snapshots: [PublishedObject]
  let facts: SeriesFacts?
  /// Worst first.
  let problems: [SeriesProblem]
  let missingFiles: Int
  let clients: ClientCounts
  /// Whether the front serves a copy, which gets no reports of the publisher's steps.
  let isCopy: Bool
  /// Whether the publication's files are gone, which the top of the page reports.
  let isAway: Bool
  /// Whether the series has a separate page, because there are many series.
  let isApart: Bool

  var state: SeriesState { metadata.state }
  var series: SeedSeries { metadata.series }
  var id: String { series.roleName }
  var name: String { "\(series.dataset) \(series.major)" }
  var address: String { isApart ? "/?series=\(id)" : "#\(id)" }
  /// Smaller is worse.
  var severity: Int { problems.first?.rawValue ?? .max }
  var snapshot: PublishedObject? { snapshots.snapshots().first }

  var row: HTML {
    let cells: [HTML] = [
      .cell(badge), .numberCell(.number(state.head.number)), .cell(.time(state.publishedAt)),
      .numberCell(snapshot.map { .size($0.length) }),
    ]
    return .row("list:\(id)", named: "<a href=\"\(address)\">\(name)</a>", cells)
  }

  var section: HTML {
    """
    <section class="series" id="\(id)" aria-labelledby="\(id):name">
    <header><h2 id="\(id):name">\(series.dataset.text) <span>\(series.major)</span></h2>\(badge)</header>
    \(credit)
    \(notices)
    \(glance)
    \(builds)
    \(changes)
    \(tables)
    \(snapshotList)
    \(clientShares)
    </section>

    """
  }

  private var credit: HTML? {
    let texts = [state.attribution, state.license, state.source].compactMap(\.self).filter { !$0.isEmpty }
    guard !texts.isEmpty else { return nil }
    let parts = texts.map { text -> HTML in "\(foreign: text)" }
    return "<p class=\"credit\">\(parts.joined(by: " · "))</p>"
  }

  private var glance: HTML {
    let entries: [(String, String, HTML?)] = [
      ("head", "Version", .number(state.head.number)),
      ("published", "Published", .time(state.publishedAt)),
      ("look", "Last good check", facts?.look.good.map(HTML.time)),
      ("wait", "Waiting for the replica since", facts?.look.behindSince.map(HTML.time)),
      ("rows", "Rows", facts.flatMap(\.allRows).map(HTML.number)),
      ("download", "Download", snapshot.map { .size($0.length) }),
      ("unpacked", "Unpacked", snapshot.map { .size($0.rawLength) }),
      ("models", "Models", "\(state.models.keys.sorted().map(\.description).joined(separator: ", "))"),
      ("look-every", "Checks every", facts?.checkSeconds.map { "\(HTML.durationText(seconds: $0))" }),
      ("poll", "Clients poll every", "\(HTML.durationText(seconds: state.pollSeconds))"),
      ("next", "Next snapshot", facts?.nextSnapshot.map(HTML.time)),
    ]
    return "<dl class=\"glance\">\n\(entries.map { Self.entry($0.0, $0.1, $0.2) })</dl>"
  }

  private static func entry(_ kind: String, _ term: String, _ value: HTML?) -> HTML {
    guard let value else { return .empty }
    return "<div class=\"\(kind)\"><dt>\(term)</dt><dd>\(value)</dd></div>\n"
  }

  var tables: HTML? {
    guard let tables = facts?.tables.prefix(PageLimits.tables), !tables.isEmpty else { return nil }
    let heads: [HTML] = [.head("Table"), .numberHead("Rows"), .head("Columns")]
    let count = (facts?.tables.count ?? 0) - tables.count
    let path = FrontPath.facts(series.dataset, state.model)
    let caption: HTML = """
      Tables of version \(HTML.number(state.head.number)), keys in bold. Their SQL is in
      <a href="\(path)">the facts of \(name)</a>.
      """
    return """
      <h3>Tables</h3>
      \(HTML.table("\(id):tables", caption, heads, tables.map(Self.row)))
      \(HTML.more(count, "table", at: path))
      """
  }

  private static func row(_ table: SeriesFacts.Table) -> HTML {
    let names = table.columns.prefix(PageLimits.columns).map { column -> HTML in
      column.isKey ? "<b>\(foreign: column.name)</b>" : "\(foreign: column.name)"
    }
    let rest = table.columns.count - names.count
    let more: HTML? = rest > 0 ? " and \(HTML.number(rest)) more" : nil
    let columns: HTML = "<td class=\"wrap\">\(names.joined(by: ", "))\(more)</td>"
    return .row(named: "\(foreign: table.name)", [.numberCell(.number(table.rows)), columns])
  }

  var snapshotList: HTML {
    let heads: [HTML] = [
      .head("File"), .head("Published"), .head("Model"), .numberHead("Download"), .numberHead("Unpacked"),
      .head("SHA-256"),
    ]
    let rows = snapshots.newestFirst.prefix(PageLimits.snapshots).map(snapshotRow)
    return """
      <h3>Snapshots</h3>
      \(HTML.table("\(id):snapshots", "Whole databases, the newest first", heads, rows))
      """
  }

  private func snapshotRow(_ snapshot: PublishedObject) -> HTML {
    // Two series may have files of the same name.
    .row(
      named: """
        <a href="/\(snapshot.filePath)" aria-label="\(snapshot.fileName) of \(name)">\(snapshot.fileName)</a>
        """,
      [
        .cell(snapshot.publishedAt.map(HTML.time)), .cell("\(snapshot.model.description)"),
        .numberCell(.size(snapshot.length)), .numberCell(.size(snapshot.rawLength)),
        .cell("<code>\(snapshot.sha256.hex)</code>"),
      ])
  }

  /// Shows which models are still in use, so the operator can decide whether to retire an old one.
  var clientShares: HTML {
    let since: HTML = "since this front began to count, \(HTML.time(clients.since))"
    guard !own.isEmpty else {
      return """
        <h3>Clients</h3>
        <p>No request of a client of \(name) has arrived \(since). Caches may have answered some.</p>
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
        <p class="quiet">This front is behind a proxy, and only the proxy can count clients: multiply the number of requests
        for <code>timestamp.json</code> that the proxy gets per second by \(HTML.number(state.pollSeconds)).</p>
        """
    }
    let rate = own.compactMap(\.looksPerSecond).reduce(0, +)
    guard rate > 0 else { return nil }
    let count = max(1, Int((rate * Double(state.pollSeconds)).rounded()))
    return """
      <p>There are about \(HTML.number(count, "client", "clients")), estimated from their latest requests.</p>
      """
  }
}

extension SeriesFacts {
  /// `nil` if the facts list no tables.
  var allRows: Int? { tables.isEmpty ? nil : tables.map(\.rows).boundedSum }
}

extension [Int] {
  /// The sum, limited to the largest integer because the numbers are untrusted.
  var boundedSum: Int {
    reduce(0) { sum, number in
      let (next, isTooMuch) = sum.addingReportingOverflow(number)
      return isTooMuch ? .max : next
    }
  }
}

extension [HTML] {
  func joined(by separator: HTML) -> HTML { dropFirst().reduce(first ?? .empty) { "\($0)\(separator)\($1)" } }
}
