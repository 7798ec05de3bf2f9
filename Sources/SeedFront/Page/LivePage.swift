import SeedFormat
import SeedSystem

/// The index page with live content, rendered after a change and at most once a second.
final class LivePage: Sendable {
  private struct Kept {
    let view: CatalogView
    let second: UTCTime
    let document: ServedDocument
  }

  private let opening: HTML
  private let closing: HTML
  private let began: UTCTime
  private let kept = Mutex<Kept?>(nil)

  static let marker = Array("<!-- what the front knows -->".utf8)

  /// Returns `nil` if the file has no marker: the page is the operator's own and served unchanged.
  init?(index bytes: [UInt8], began: UTCTime) {
    guard let place = bytes.firstRange(of: Self.marker) else { return nil }
    (opening, closing) = (HTML(file: bytes[..<place.lowerBound]), HTML(file: bytes[place.upperBound...]))
    self.began = began
  }

  func document(
    _ view: CatalogView, _ counts: (_ began: UTCTime) -> ClientCounts, now: UTCTime
  ) -> ServedDocument {
    kept.withLock { kept in
      if let kept, kept.second == now, kept.view.isSame(as: view) { return kept.document }
      let content = PageContent(view: view, clients: counts(began), now: now).html
      let document = ServedDocument((opening + content + closing).bytes)
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
