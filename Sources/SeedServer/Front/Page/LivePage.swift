import SeedFormat
import SeedSystem

/// The index page with what is known now, rendered once per change and once per second at most.
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

  /// `nil` where the file has no marker: the page is the operator's own, and is served as it is.
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
  /// Facts are not compared: they are looked for once a second.
  fileprivate func isSame(as other: CatalogView) -> Bool {
    catalog === other.catalog && failure == other.failure && standing == other.standing
  }
}
