import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// All that the page tells, at one moment.
struct PageContent: Sendable {
  let view: CatalogView
  let clients: ClientCounts
  let now: UTCTime
  /// Bytes of markup up to which further series are told in full.
  var room = PageLimits.sectionBytes

  /// What stands in the page between its head and its foot.
  var html: HTML {
    """
    \(standing)
    \(warnings)
    \(list)
    \(sections)
    \(view.catalog.map { trust($0) })
    """
  }

  var series: [PageSeries] {
    let root = view.catalog?.roots.map(\.version).runs.last?.lowerBound
    let name = root.map { MetadataName.versioned(Root.type, $0) }
    return (view.catalog?.allSeries ?? []).map { metadata in
      PageSeries(
        metadata: metadata, snapshots: view.servedSnapshots(metadata), facts: view.facts[metadata.series],
        clients: clients, now: now, root: name)
    }
  }

  // MARK: - At the top

  private var standing: HTML {
    let (kind, words) = standingWords
    return """
      <p id="standing" class="standing \(kind)">\(words)</p>
      """
  }

  private var standingWords: (kind: String, words: HTML) {
    guard let catalog = view.catalog else { return ("bad", "Nothing is published yet.") }
    if catalog.signatures.contains(where: { $0.state(at: now) == .expired }) {
      return ("bad", "Signatures have expired: clients refuse what is published.")
    }
    if view.failure != nil { return ("bad", "The publication cannot be read: this is what it was before.") }
    guard view.isReady else { return ("bad", "Not every series has a snapshot to start from.") }
    let troubled = series.count { $0.trouble != nil }
    if troubled > 0 {
      return ("soon", "\(HTML.number(troubled, "series needs", "series need")) somebody’s attention.")
    }
    return ("good", "Everything is current.")
  }

  private var warnings: HTML {
    let signatures = (view.catalog?.signatures ?? []).warnings(at: now)
    let sentences: [HTML] =
      [view.failure.map { "The newest publication could not be loaded: \(foreign: $0)" }].compactMap(\.self)
      + (signatures + view.missingFileWarnings).map { "\(foreign: $0)." }
    return "<div id=\"warnings\">\(sentences.map { "<p class=\"notice\">\($0)</p>\n" })</div>"
  }

  // MARK: - The series

  private var list: HTML {
    let all = series
    guard all.count > 1 else { return .empty }
    let heads: [HTML] = [
      .head("Series"), .numberHead("Version"), .head("Published"), .numberHead("Download"), .head("State"),
    ]
    let caption: HTML = "\(HTML.number(all.count)) series"
    let rows = all.prefix(PageLimits.listedSeries).map(\.row)
    return "<nav aria-label=\"Series\">\n\(HTML.table("list", caption, heads, rows))</nav>"
  }

  /// Whole sections, as many as there is room for.
  private var sections: HTML {
    let all = series
    let isFolded = all.count > PageLimits.openSeries
    var (shown, bytes): ([HTML], Int) = ([], 0)
    for one in all {
      let section = one.section(isFolded: isFolded)
      bytes += section.bytes.count
      guard bytes <= room || shown.isEmpty else { break }
      shown.append(section)
    }
    return """
      <div id="series">
      \(shown)</div>
      \(rest(all.dropFirst(shown.count)))
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
      <p class="quiet">A client believes what the keys of its root file have signed. Compare
      <code>sha256sum root.json</code> with the digest that you got over another road.</p>
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
      switch signature.state(at: now) {
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
  /// The roots that are served, with what `sha256sum` says of their files, the oldest first.
  fileprivate var roots: [(version: Int, digest: SHA256Digest)] {
    let suffix = ".\(Root.type).json"
    return metadata.names.compactMap { name -> (Int, SHA256Digest)? in
      guard name.hasSuffix(suffix), let version = Int(name.dropLast(suffix.count)), let file = metadata[name]
      else { return nil }
      return (version, SHA256Digest.of(file.bytes))
    }.sorted { $0.0 < $1.0 }
  }
}
