import SeedFormat
import SeedSystem

/// The index page with live content, rendered after a change and at most once a second.
final class LivePage: Sendable {
  private struct Kept {
    let view: CatalogView
    let second: UTCTime
    let document: ServedDocument
  }

  /// Up to the title's text; `nil` if the file has no title.
  private let head: HTML?
  private let opening: HTML
  private let closing: HTML
  private let began: UTCTime
  private let kept = Mutex<Kept?>(nil)

  static let marker = Array("<!-- what the front knows -->".utf8)
  private static let title = Array("<title>".utf8)

  /// Returns `nil` if the file has no marker: the page is the operator's own and served unchanged.
  init?(index bytes: [UInt8], began: UTCTime) {
    guard let place = bytes.firstRange(of: Self.marker) else { return nil }
    let name = bytes[..<place.lowerBound].firstRange(of: Self.title)?.upperBound
    head = name.map { HTML(file: bytes[..<$0]) }
    opening = HTML(file: bytes[(name ?? 0)..<place.lowerBound])
    closing = HTML(file: bytes[place.upperBound...])
    self.began = began
  }

  func document(
    _ view: CatalogView, _ counts: (_ began: UTCTime) -> ClientCounts, now: UTCTime
  ) -> ServedDocument {
    kept.withLock { kept in
      if let kept, kept.second == now, kept.view.isSame(as: view) { return kept.document }
      let content = PageContent(view: view, clients: counts(began), now: now)
      let start = head.map { "\($0)\(content.title) – " as HTML }
      let page: HTML = "\(start)\(opening)\(content.html)\(closing)"
      let document = ServedDocument(page.bytes)
      kept = Kept(view: view, second: now, document: document)
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

/// The limits of the page. `/v1` has none of them.
enum PageLimits {
  /// With more series than this, each is collapsed under its name.
  static let openSeries = 4
  /// With more series than this, there is a filter for their names.
  static let unfilteredSeries = 10
  /// The size of markup after which further series are only listed.
  static let sectionBytes = 1_500_000
  static let listedSeries = 1000
  static let builds = 40
  /// The builds in its table, whose rows are most of a page's bytes.
  static let buildRows = 8
  static let points = 60
  static let versions = 6
  static let snapshots = 20
  static let tables = 100
  static let schemaScalars = 10_000
  static let columns = 12
  static let roots = 5
  static let roles = 20
}
