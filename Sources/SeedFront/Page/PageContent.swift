import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

struct PageContent: Sendable {
  let view: CatalogView
  let now: UTCTime
  /// Worst first.
  let problems: [PublicationProblem]
  /// Worst first, then by name.
  let series: [PageSeries]
  private let chosen: String?

  init(view: CatalogView, of chosen: String? = nil, clients: ClientCounts, now: UTCTime) {
    (self.view, self.chosen, self.now) = (view, chosen, now)
    let status = view.status(at: now)
    problems = status.problems(at: now)
    let all = view.catalog?.allSeries ?? []
    series = zip(all, status.series).map { metadata, status in
      PageSeries(
        metadata: metadata, snapshots: view.servedSnapshots(metadata), facts: view.facts[metadata.series],
        problems: status.problems(at: now).filter {
          !view.isAway || ![.noSnapshot, .filesMissing].contains($0)
        },
        missingFiles: status.missingFiles, clients: clients, isCopy: view.follow != nil, isAway: view.isAway,
        isApart: chosen != nil || all.count > PageLimits.openSeries)
    }.sorted { ($0.severity, $0.series) < ($1.severity, $1.series) }
  }

  var title: HTML { "\(problems.first.title)" }

  var html: HTML {
    """
    \(standing)
    \(warnings)
    \(view.follow.map { follows($0.current) })
    \(list)
    <div id="series">
    \(series.filter { !$0.isApart || $0.id == chosen }.map(\.section))</div>
    \(view.catalog.map { trust($0) })
    """
  }

  private var warnings: HTML {
    let sentences: [HTML] =
      [view.failure.map { "Loading the newest publication failed: \(foreign: $0)." }].compactMap(\.self)
      + view.lateWarnings.map { "\(foreign: $0)." } + notices
    return "<div id=\"warnings\">\(sentences.map { "<p class=\"notice\">\($0)</p>\n" })</div>"
  }

  private func follows(_ state: FollowState) -> HTML {
    let look: HTML =
      state.lastGoodLook.map { "The copy was last complete \(HTML.time($0))." }
      ?? "The front has not reached the original yet."
    return "<p id=\"follows\" class=\"quiet\">This front serves a copy of another publication. \(look)</p>"
  }

  private var list: HTML {
    guard series.count > 1 else { return .empty }
    guard chosen == nil else {
      return "<nav aria-label=\"Series\"><a href=\"/\">All \(HTML.number(series.count)) series</a></nav>"
    }
    let heads: [HTML] = [
      .head("Series"), .head("State"), .numberHead("Version"), .head("Published"), .numberHead("Download"),
    ]
    let caption: HTML = "\(HTML.number(series.count)) series"
    let rows = series.prefix(PageLimits.listedSeries).map(\.row)
    let filter: HTML? =
      series.count > PageLimits.unfilteredSeries
      ? "<label id=\"filter\">Filter by name <input type=\"search\"></label>\n" : nil
    return "<nav aria-label=\"Series\">\n\(filter)\(HTML.table("list", caption, heads, rows))</nav>"
  }

  private func trust(_ catalog: PublishedCatalog) -> HTML {
    let signatures = catalog.signatures.prefix(PageLimits.roles).map(row)
    return """
      <section id="trust" aria-labelledby="trust-name">
      <h2 id="trust-name">Trust</h2>
      <p class="quiet">A client accepts only files signed by keys of its root file.</p>
      \(HTML.table("signatures", "Signatures", [.head("Role"), .head("Valid until"), .head("State")], signatures))
      \(HTML.more(catalog.signatures.count - signatures.count, "role", at: "/readyz"))
      </section>
      """
  }

  private func row(_ signature: SignatureExpiry) -> HTML {
    let state: HTML =
      switch signature.state(at: now, lifetimeSeconds: view.reportedLifetimeSeconds) {
      case .notRenewed: .state("soon", "not renewed")
      case .valid: .state("good", "valid")
      case .expiring: .state("soon", "renew soon")
      case .expired: .state("bad", "expired")
      }
    let cells: [HTML] = [.cell(.time(signature.expires)), .cell(state)]
    return .row("role:\(signature.role)", named: "\(signature.role)", cells)
  }
}
