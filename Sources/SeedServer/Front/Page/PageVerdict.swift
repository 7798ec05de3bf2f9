import SeedFormat
import SeedSystem
import SeedTrust

/// The first sentence of the page.
struct PageVerdict {
  let verdict: PublicationVerdict
  /// All that are published.
  let series: [PageSeries]

  /// Series that a sentence names; of further ones it has the number.
  private static let named = 3

  var html: HTML {
    """
    <p id="standing" class="standing \(verdict.level.kind)">\(words)</p>
    """
  }

  private var words: HTML {
    switch verdict {
    case .nothingPublished: "Nothing is published yet."
    case .expired: "Signatures have expired: clients refuse what is published."
    case .unreadable: "The publication cannot be read: this is what it was before."
    case .notReady(let found):
      "\(names(found)) \(found.count == 1 ? "has" : "have") no snapshot to start from."
    case .troubled(let found):
      "\(names(found)) \(found.count == 1 ? "needs" : "need") somebody’s attention\(reason(found))."
    case .diskNearlyFull: "The publication’s disk is almost full: the next steps may fail."
    case .signaturesEnding: "Signatures must be renewed soon, with a key that may be kept elsewhere."
    case .untold(let found):
      "Nobody tells this front whether \(names(found)) \(found.count == 1 ? "is" : "are") current."
    case .current: "Everything is current."
    }
  }

  /// Of one alone the sentence has room for what is wrong.
  private func reason(_ found: [Series]) -> HTML? {
    guard found.count == 1, let word = series.first(where: { $0.series == found[0] })?.trouble?.word else {
      return nil
    }
    return ": \(word)"
  }

  private func names(_ found: [Series]) -> HTML {
    let links = found.prefix(Self.named).map { series -> HTML in
      "<a href=\"#\(series.roleName)\">\(series.words)</a>"
    }
    let rest = found.count - links.count
    let parts = rest > 0 ? links + ["\(HTML.number(rest)) more"] : links
    guard let last = parts.last, parts.count > 1 else { return links.first ?? .empty }
    return "\(parts.dropLast().joined(by: ", ")) and \(last)"
  }
}

extension ConcernLevel? {
  /// The class by which the page colours it.
  var kind: String {
    switch self {
    case .bad: "bad"
    case .soon: "soon"
    case .unknown: "unknown"
    case nil: "good"
    }
  }
}

extension Series {
  /// As the page names it.
  var words: String { "\(dataset) \(major)" }
}

extension CatalogView {
  /// What the front knows at a moment.
  func evidence(at now: UTCTime) -> PublicationEvidence {
    var evidence = PublicationEvidence()
    guard let catalog, !catalog.datasets.isEmpty else {
      evidence.isPublished = false
      return evidence
    }
    (evidence.isUnreadable, evidence.signatures) = (failure != nil, catalog.signatures)
    evidence.isDiskNearlyFull = standing.isDiskNearlyFull
    let expired = Set(catalog.signatures.filter { $0.state(at: now) == .expired }.map(\.role))
    let isAllExpired = !expired.isDisjoint(with: Self.sharedRoles)
    evidence.series = catalog.allSeries.map { metadata in
      var one = SeriesEvidence(metadata)
      one.hasSnapshot = !servedSnapshots(metadata).isEmpty
      one.isExpired = isAllExpired || expired.contains(metadata.series.roleName)
      one.steps = SeriesEvidence.Steps(facts[metadata.series])
      return one
    }
    return evidence
  }

  /// On the way to each series.
  private static let sharedRoles: Set = [Root.type, Timestamp.type, SnapshotRole.type, Targets.type]
}
