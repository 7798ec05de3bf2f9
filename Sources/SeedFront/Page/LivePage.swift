import SeedFormat
import SeedSystem
import SeedTrust

/// The index page with live content. Rendered again after a change, and otherwise at most once a second.
final class LivePage: Sendable {
  private struct Kept {
    var view = CatalogView(nil)
    var second: UTCTime?
    /// By the role name of the chosen series, or "" for all.
    var documents: [String: ServedDocument] = [:]
  }

  /// The file up to the title's text; `nil` if it has no title.
  private let head: HTML?
  private let opening: HTML
  private let closing: HTML
  private let began: UTCTime
  private let kept = Mutex(Kept())

  static let marker = Array("<!-- what the front knows -->".utf8)

  /// Returns `nil` if the file has no marker: it is then the operator's own page, and is served unchanged.
  init?(index bytes: [UInt8], began: UTCTime) {
    guard let place = bytes.firstRange(of: Self.marker) else { return nil }
    let name = bytes[..<place.lowerBound].firstRange(of: "<title>".utf8)?.upperBound
    head = name.map { HTML(file: bytes[..<$0]) }
    opening = HTML(file: bytes[(name ?? 0)..<place.lowerBound])
    closing = HTML(file: bytes[place.upperBound...])
    self.began = began
  }

  /// `chosen` is the role name of the only series to show. An unknown name has no effect.
  func document(
    _ view: CatalogView, of chosen: String? = nil, _ counts: (_ began: UTCTime) -> ClientCounts, now: UTCTime
  ) -> ServedDocument {
    let known = view.catalog?.allSeries.map(\.series.roleName).first { $0 == chosen }
    return kept.withLock { kept in
      if kept.second != now || !kept.view.isSame(as: view) { kept = Kept(view: view, second: now) }
      if let document = kept.documents[known ?? ""] { return document }
      let content = PageContent(view: view, of: known, clients: counts(began), now: now)
      let start = head.map { "\($0)\(content.title) – " as HTML }
      let document = ServedDocument(("\(start)\(opening)\(content.html)\(closing)" as HTML).bytes)
      kept.documents[known ?? ""] = document
      return document
    }
  }
}

extension CatalogView {
  /// Ignores facts, which are checked once a second.
  fileprivate func isSame(as other: CatalogView) -> Bool {
    catalog === other.catalog && failure == other.failure && standing == other.standing
  }
}

enum PageLimits {
  /// With more series than this, the page lists them, and each has its own page.
  static let openSeries = 4
  /// With more series than this, there is a filter for their names.
  static let unfilteredSeries = 10
  static let listedSeries = 1000
  static let builds = 24
  /// The number of builds in the table, whose rows are most of a page's bytes.
  static let buildRows = 8
  static let snapshots = 20
  static let tables = 100
  static let columns = 12
  static let roles = 20
}
