import SeedFormat
import SeedPublication
import SeedTrust

extension PageSeries {
  var tables: HTML? {
    guard let tables = facts?.tables.prefix(PageLimits.tables), !tables.isEmpty else { return nil }
    let heads: [HTML] = [.head("Table"), .numberHead("Rows"), .head("Columns")]
    let (count, path) = (
      (facts?.tables.count ?? 0) - tables.count, FrontPath.facts(series.dataset, state.model)
    )
    let caption: HTML = """
      Tables of version \(HTML.number(state.head.number)), keys in bold. Their SQL is in <a href="\(path)">the facts</a>.
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
    let newest = snapshots.sorted {
      ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue)
    }
    let heads: [HTML] = [
      .head("File"), .head("Published"), .head("Model"), .numberHead("Download"), .numberHead("Unpacked"),
      .head("SHA-256"),
    ]
    let rows = newest.prefix(PageLimits.snapshots).map(Self.row)
    return """
      <h3>Snapshots</h3>
      \(HTML.table("\(id):snapshots", "Whole databases, the newest first", heads, rows))
      """
  }

  private static func row(_ snapshot: PublishedObject) -> HTML {
    .row(
      named: "<a href=\"/\(snapshot.filePath)\">\(snapshot.fileName)</a>",
      [
        .cell(snapshot.publishedAt.map(HTML.time)), .cell("\(snapshot.model.description)"),
        .numberCell(.size(snapshot.length)), .numberCell(.size(snapshot.rawLength)),
        .cell("<code>\(snapshot.sha256.hex)</code>"),
      ])
  }
}
