import SeedFormat
import SeedSystem
import SeedTrust

// For those who read the data: tables, changes, snapshots, and lines to type.
extension PageSeries {
  // MARK: - Tables

  var tables: HTML? {
    guard let tables = facts?.tables, !tables.isEmpty else { return nil }
    let rest = tables.count - PageLimits.tables
    let more: HTML? =
      rest > 0
      ? "<p class=\"quiet\">\(HTML.number(rest)) more tables: <a href=\"\(factsPath)\">all of them</a>.</p>"
      : nil
    return """
      <h3>Tables</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Tables of \(name)"><table id="\(id):tables">
      <caption>Tables of version \(HTML.number(state.head.number))</caption>
      <thead><tr><th scope="col">Table</th><th scope="col" class="number">Rows</th><th scope="col">Columns</th></tr></thead>
      <tbody>
      \(tables.prefix(PageLimits.tables).map(Self.row))</tbody></table></div>
      \(more)
      <details id="\(id):schema"><summary>Schema</summary>
      \(tables.prefix(PageLimits.tables).map(Self.schema))</details>
      """
  }

  private var factsPath: String { "/v1/\(series.dataset)/facts?model=\(state.model)" }

  private static func row(_ table: SeriesFacts.Table) -> HTML {
    let names = table.columns.prefix(PageLimits.columns).map { column -> HTML in
      column.isKey ? "<b>\(foreign: column.name)</b>" : "\(foreign: column.name)"
    }
    let rest = table.columns.count - names.count
    let more: HTML? = rest > 0 ? " and \(HTML.number(rest)) more" : nil
    return """
      <tr><th scope="row">\(foreign: table.name)</th><td class="number">\(HTML.number(table.rows))</td>\
      <td class="wrap">\(names.joined(by: ", "))\(more)</td></tr>

      """
  }

  private static func schema(_ table: SeriesFacts.Table) -> HTML {
    let text = HTML.shortened(table.sql, PageLimits.schemaScalars)
    return "<pre tabindex=\"0\"><code><bdi>\(text)</bdi></code></pre>\n"
  }

  // MARK: - Changes

  var changes: HTML? {
    let spans = newestSpans
    guard !spans.isEmpty else { return nil }
    return """
      <div class="changes">
      <h3>Changes</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Changes of \(name)"><table>
      <caption>What each version changed: choose one</caption>
      <thead><tr><th scope="col">Versions</th><th scope="col">Published</th><th scope="col" class="number">Rows set</th>
      <th scope="col" class="number">Deleted</th><th scope="col" class="number">Delta</th></tr></thead>
      <tbody>
      \(spans.map(row))</tbody></table></div>
      <form class="range" data-path="\(FrontPath.changes(series.dataset, state.model, since: "{since}", epoch: state.epoch.text))">
      <label>From version <input name="since" type="number" inputmode="numeric" min="\(state.floor.number)" \
      max="\(state.head.number)" value="\(state.floor.number)" required></label>
      <label>to <input name="to" type="number" inputmode="numeric" min="\(state.floor.number)" \
      max="\(state.head.number)" value="\(state.head.number)" required></label>
      <button>Show changes</button></form>
      <div class="explorer" id="\(id):explorer" tabindex="-1" data-own></div>
      </div>
      """
  }

  /// For each of the newest versions the delta that reaches the least far back, the newest first.
  private var newestSpans: [PublishedObject] {
    let deltas = metadata.objects.compactMap { object in object.span.map { (object, $0) } }
    let nearest = Dictionary(grouping: deltas, by: \.1.to).compactMapValues { same in
      same.max { $0.1.from < $1.1.from }
    }
    return nearest.values.filter { $0.1.from >= state.floor }
      .sorted { $0.1.to > $1.1.to }.prefix(PageLimits.versions).map(\.0)
  }

  private func row(_ delta: PublishedObject) -> HTML {
    guard let span = delta.span else { return .empty }
    let (since, end) = (span.from, span.to)
    let path = FrontPath.changes(
      series.dataset, state.model, since: since.description, to: end, epoch: state.epoch.text)
    let step = facts?.steps.first { $0.to == end.number && $0.from == since.number && !$0.changes.isEmpty }
    return """
      <tr id="\(id):\(since.number)-\(end.number)"><th scope="row"><a class="change" href="\(path)">\
      \(since.number) → \(end.number)</a></th><td>\(step.map { HTML.time($0.at) })</td>\
      <td class="number">\(step.map { HTML.number($0.rowsSet) })</td><td class="number">\(step.map { HTML.number($0.rowsDeleted) })</td>\
      <td class="number">\(HTML.size(delta.length))</td></tr>

      """
  }

  // MARK: - Snapshots

  var snapshots: HTML {
    let newest = metadata.usableSnapshots.sorted {
      ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue)
    }
    return """
      <h3>Snapshots</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Snapshots of \(name)"><table id="\(id):snapshots">
      <caption>Whole databases, the newest first</caption>
      <thead><tr><th scope="col">File</th><th scope="col">Published</th><th scope="col">Model</th>
      <th scope="col" class="number">Download</th><th scope="col" class="number">Unpacked</th>
      <th scope="col">SHA-256</th></tr></thead>
      <tbody>
      \(newest.prefix(PageLimits.snapshots).map(Self.row))</tbody></table></div>
      """
  }

  private static func row(_ snapshot: PublishedObject) -> HTML {
    """
    <tr><th scope="row"><a href="/\(snapshot.filePath)">\(snapshot.fileName)</a></th>\
    <td>\(snapshot.publishedAt.map(HTML.time))</td><td>\(snapshot.model.description)</td>\
    <td class="number">\(HTML.size(snapshot.length))</td><td class="number">\(HTML.size(snapshot.rawLength))</td>\
    <td><code>\(snapshot.sha256.hex)</code></td></tr>

    """
  }

  // MARK: - Lines to type

  /// The script puts the page's own address in place of `$front`: the front does not know under which it is reached.
  var commands: HTML {
    let changes = FrontPath.changes(
      series.dataset, state.model, since: state.floor.description, epoch: state.epoch.text)
    let lines: [(String, String)] = [
      (
        "The newest snapshot",
        "curl -fL \"$front\(FrontPath.snapshot(series.dataset, state.model))\" | gunzip > \(series.dataset).sqlite"
      ),
      ("The changes since version \(state.floor)", "curl -f --compressed \"$front\(changes)\""),
      ("The root file, in which trust begins", "curl -fo root.json \"$front/metadata/1.root.json\""),
      (
        "A verified copy that stays current",
        "seedbank pull \"$front\" --dataset \(series.dataset) --model \(state.model) --store store --root root.json"
      ),
    ]
    return """
      <h3>Commands</h3>
      <p class="quiet noscript">In a shell, first set <code>front</code> to this page’s address, such as
      <code>front=http://127.0.0.1:8080</code>.</p>
      <div class="commands">
      \(lines.map(Self.command))</div>
      """
  }

  private static func command(_ caption: String, _ line: String) -> HTML {
    """
    <figure class="command"><figcaption>\(caption)</figcaption><pre tabindex="0"><code>\(line)</code></pre>\
    <button type="button" class="copy" aria-label="Copy: \(caption)">Copy</button></figure>

    """
  }

  // MARK: - Clients

  /// Which models are still asked for: may an old one be retired?
  var clientShares: HTML? {
    let counts = clients.requests.filter { $0.dataset == series.dataset.text }
    guard !counts.isEmpty else { return nil }
    let own = counts.filter { $0.major == series.major }.sorted { $0.model < $1.model }
    return """
      <h3>Clients</h3>
      <p>\(verdict(own.reduce(0) { $0 + $1.count }))</p>
      \(own.isEmpty ? nil : shares(own))
      """
  }

  private func verdict(_ count: Int) -> HTML {
    let since: HTML = "since this front began to count, at \(HTML.time(clients.since))"
    return count == 0
      ? "No client of \(name) has asked \(since). It may be retired once that time covers your users’ longest pause."
      : "Clients of \(name) have asked \(HTML.number(count, "time", "times")) \(since): it is in use."
  }

  private func shares(_ counts: [ClientCounts.Requests]) -> HTML {
    let rows = counts.map { one -> HTML in
      "<tr><th scope=\"row\">\(one.model)</th><td class=\"number\">\(HTML.number(one.count))</td></tr>\n"
    }
    return """
      <table id="\(id):clients"><caption>Requests that reached this front</caption>
      <thead><tr><th scope="col">Model</th><th scope="col" class="number">Requests</th></tr></thead>
      <tbody>
      \(rows)</tbody></table>
      """
  }
}
