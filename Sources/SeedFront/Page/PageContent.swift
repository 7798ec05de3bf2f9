import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

struct PageContent: Sendable {
  private let view: CatalogView
  private let now: UTCTime
  /// Worst first.
  private let problems: [PublicationProblem]
  /// Worst first, then by name.
  private let series: [PageSeries]
  /// The size of markup after which further series are only listed.
  var room = PageLimits.sectionBytes

  init(view: CatalogView, clients: ClientCounts, now: UTCTime) {
    (self.view, self.now) = (view, now)
    let status = view.status(at: now)
    problems = status.problems(at: now)
    let root = view.catalog?.roots.map(\.version).runs.last?.lowerBound
    let name = root.map { MetadataName.versioned(Root.type, $0) }
    series = zip(view.catalog?.allSeries ?? [], status.series).map { metadata, status in
      PageSeries(
        metadata: metadata, snapshots: view.servedSnapshots(metadata), facts: view.facts[metadata.series],
        problems: status.problems(at: now).filter { !view.isAway || !$0.isOfFiles },
        missingFiles: status.missingFiles, clients: clients,
        hasSuccessor: view.catalog?.hasMajor(after: metadata.series) == true, isCopy: view.follow != nil,
        isAway: view.isAway, now: now, root: name)
    }.sorted { ($0.severity, $0.series) < ($1.severity, $1.series) }
  }

  var title: HTML { "\(problems.first.title)" }

  private var status: PageStatus { PageStatus(view: view, now: now, problems: problems, series: series) }

  var html: HTML {
    """
    \(status.html)
    \(warnings)
    \(view.follow.map { follows($0.current) })
    \(list)
    \(sections)
    \(view.catalog.map { trust($0) })
    """
  }

  // MARK: - At the top

  private var warnings: HTML {
    let sentences: [HTML] =
      [view.failure.map { "Loading the newest publication failed: \(foreign: $0)." }].compactMap(\.self)
      + view.lateWarnings.map { "\(foreign: $0)." } + status.notices
    return "<div id=\"warnings\">\(sentences.map { "<p class=\"notice\">\($0)</p>\n" })</div>"
  }

  private func follows(_ state: FollowState) -> HTML {
    let look: HTML =
      state.lastGoodLook.map { "It was last complete \(HTML.time($0))." }
      ?? "It has not reached that one yet."
    return "<p id=\"follows\" class=\"quiet\">This front serves a copy of another publication. \(look)</p>"
  }

  // MARK: - The series

  private var list: HTML {
    guard series.count > 1 else { return .empty }
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

  private var sections: HTML {
    let isFolded = series.count > PageLimits.openSeries
    var (shown, bytes): ([HTML], Int) = ([], 0)
    for one in series {
      let section = one.section(isFolded: isFolded)
      bytes += section.bytes.count
      guard bytes <= room || shown.isEmpty else { break }
      shown.append(section)
    }
    return """
      <div id="series">
      \(shown)</div>
      \(rest(series.dropFirst(shown.count)))
      """
  }

  private func rest(_ series: ArraySlice<PageSeries>) -> HTML? {
    guard let first = series.first else { return nil }
    return """
      <p id="rest" class="quiet">\(HTML.number(series.count)) more series, from \(first.name) on, have no room on
      this page: <a href="/v1">/v1</a> has all of them.</p>
      """
  }

  // MARK: - Trust

  private func trust(_ catalog: PublishedCatalog) -> HTML {
    let roots = catalog.roots.suffix(PageLimits.roots).reversed().map(Self.row)
    let signatures = catalog.signatures.prefix(PageLimits.roles).map(row)
    return """
      <section id="trust" aria-labelledby="trust-name">
      <h2 id="trust-name">Trust</h2>
      <p class="quiet">A client accepts only files signed by keys of its root file. Compare
      <code>sha256sum root.json</code> with the digest that you got in another way.</p>
      \(HTML.table("roots", "Root files", [.head("File"), .head("SHA-256")], roots))
      \(HTML.table("signatures", "Signatures", [.head("Role"), .head("Valid until"), .head("State")], signatures))
      \(moreRoles(catalog.signatures.count - PageLimits.roles))
      </section>
      """
  }

  private func moreRoles(_ count: Int) -> HTML? {
    guard count > 0 else { return nil }
    let link: HTML = "<a href=\"/readyz\">/readyz</a> has all of them."
    return "<p class=\"quiet\">\(HTML.number(count, "more role", "more roles")): \(link)</p>"
  }

  private func row(_ signature: SignatureExpiry) -> HTML {
    let state: HTML =
      switch signature.state(at: now, lifetimeSeconds: view.toldLifetimeSeconds) {
      case .neglected: .state("soon", "not renewed")
      case .valid: .state("good", "valid")
      case .expiring: .state("soon", "renew soon")
      case .expired: .state("bad", "expired")
      }
    let cells: [HTML] = [.cell(.time(signature.expires)), .cell(state)]
    return .row("role:\(signature.role)", named: "\(signature.role)", cells)
  }

  private static func row(_ root: (version: Int, digest: SHA256Digest)) -> HTML {
    let name = MetadataName.versioned(Root.type, root.version)
    return .row(
      "root:\(root.version)", named: "<a href=\"/metadata/\(name)\">\(name)</a>",
      [.cell("<code>\(root.digest.hex)</code>")])
  }
}

extension PublishedCatalog {
  fileprivate func hasMajor(after series: SeedSeries) -> Bool {
    datasets[series.dataset]?.contains { $0.series.major > series.major } == true
  }

  /// The served roots with the SHA-256 of their files, oldest first.
  fileprivate var roots: [(version: Int, digest: SHA256Digest)] {
    let suffix = ".\(Root.type).json"
    return metadata.names.compactMap { name -> (Int, SHA256Digest)? in
      guard name.hasSuffix(suffix), let version = Int(name.dropLast(suffix.count)), let file = metadata[name]
      else { return nil }
      return (version, SHA256Digest.of(file.bytes))
    }.sorted { $0.0 < $1.0 }
  }
}
