import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension PageContent {
  private static let named = 3

  var standing: HTML {
    """
    <p id="standing" class="standing \(problems.first.kind)">\(problems.first.map(words) ?? "Everything is current.")</p>
    """
  }

  /// The problems that are shown nowhere else on the page. ``standing`` shows the worst one; others are in the
  /// series' sections, or in the reason for a failed load.
  var notices: [HTML] {
    problems.dropFirst().compactMap { problem in
      switch problem {
      case .unreadable, .notReady, .needAttention, .notReported: nil
      default: words(problem)
      }
    }
  }

  /// Describes the problem, and the remedy if no series' section describes it.
  private func words(_ problem: PublicationProblem) -> HTML {
    switch problem {
    case .nothingPublished where view.failure != nil:
      "This front has no publication to serve: \(Self.verification)."
    case .nothingPublished:
      "Nothing is published yet: <code>seedbank regenerate</code> publishes it, or reports why not."
    case .expired:
      "Signatures have expired, and clients reject the publication: \(renewal(.expired))."
    case .unreadable:
      """
      Cannot read the publication: \(Self.verification). This page shows the publication as the front last read it.
      """
    case .unsound:
      """
      The newest verification found errors in the publication: <code>seedbank verify</code> on the publisher’s machine names
      each with a remedy. After the repair, run <code>seedbank verify</code> again: this notice stays until it finds no errors.
      """
    case .notReady(let found):
      "\(names(found)) \(found.count == 1 ? "has" : "have") no snapshot to start from."
    case .needAttention(let found):
      "\(names(found)) \(found.count == 1 ? "needs" : "need") your attention\(reason(found))."
    case .diskFull:
      """
      The publication’s disk is full, and steps cannot write: free some space on it. <code>seedbank status</code> on the publisher’s
      machine shows the sizes.
      """
    case .diskNearlyFull:
      """
      The publication’s disk is almost full, and the next steps may fail: free some space on it, or keep fewer snapshots
      (<code>retention.snapshots</code>). <code>seedbank status</code> on the publisher’s machine shows the sizes.
      """
    case .mirrorLate:
      """
      The newest version has not reached every mirror: \(lateMirrors). <code>seedbank status</code> on the publisher’s machine
      shows why. The numbers follow the order of <code>mirrors</code> in <code>seedbank.json</code>.
      """
    case .notRenewed:
      """
      No process renews the signatures, and clients will soon reject the publication: start <code>seedbank run</code>, or
      <code>seedbank regenerate</code> by a timer.
      """
    case .signaturesEnding:
      """
      Signatures must be renewed soon: \(renewal(.expiring)), with <code>--with FOLDER</code> if the key is kept elsewhere.
      """
    case .publisher(let problem): problem.notice
    case .notReported(let found):
      "This front gets no report that shows whether \(names(found)) \(found.count == 1 ? "is" : "are") current."
    }
  }

  private static let verification: HTML =
    "<code>seedbank verify</code> on the publisher’s machine shows what to do"

  /// The commands that renew the signatures in this state. The table under Trust lists these signatures.
  private func renewal(_ state: SignatureExpiry.State) -> HTML {
    let found = (view.catalog?.signatures ?? []).filter { $0.state(at: now) == state }
    let offline = found.filter(\.isOffline).map { one -> HTML in
      "<code>seedbank keys renew \(one.role)</code>"
    }
    let online: [HTML] = found.allSatisfy(\.isOffline) ? [] : ["<code>seedbank regenerate</code>"]
    return "run \((offline + online).joined(by: " and "))"
  }

  /// Omits the mirrors' addresses, which are private.
  private var lateMirrors: HTML {
    (view.mirrors?.late ?? []).map { mirror -> HTML in
      "mirror \(HTML.number(mirror.number)) fell behind \(HTML.time(mirror.since))"
    }.joined(by: ", ")
  }

  /// If only one series is affected, the sentence includes its problem.
  private func reason(_ found: [SeedSeries]) -> HTML? {
    guard found.count == 1, let word = series.first(where: { $0.series == found[0] })?.trouble?.word else {
      return nil
    }
    return ": \(word)"
  }

  private func names(_ found: [SeedSeries]) -> HTML {
    let meant = Set(found)
    let links = series.filter { meant.contains($0.series) }.prefix(Self.named).map { series -> HTML in
      "<a href=\"\(series.address)\">\(series.name)</a>"
    }
    let rest = found.count - links.count
    let parts = rest > 0 ? links + ["\(HTML.number(rest)) more"] : links
    guard let last = parts.last, parts.count > 1 else { return links.first ?? .empty }
    return "\(parts.dropLast().joined(by: ", ")) and \(last)"
  }
}

extension PublisherProblem {
  var notice: HTML {
    switch self {
    case .datasetUnpublished:
      """
      A dataset is not published yet, and its clients get nothing: <code>seedbank regenerate</code> publishes it, or reports
      why not.
      """
    case .modelUnpublished:
      """
      A model is not published yet: <code>seedbank regenerate</code> publishes it, or names the key that it needs.
      """
    case .keyFiles:
      """
      The publisher’s key files have a problem: <code>seedbank keys status</code> shows it. The next step after the repair
      removes this notice, so the publisher must be running.
      """
    case .keyChange:
      """
      A key change waits for signatures: <code>seedbank keys status</code> lists them, <code>seedbank keys
      add-signature</code> adds one, and <code>seedbank keys discard</code> cancels the change.
      """
    case .stateDisk:
      """
      The disk of the publisher’s working copies is almost full, and the next steps may fail: free some space on it.
      <code>seedbank status</code> on the publisher’s machine shows the sizes.
      """
    }
  }
}

extension PublicationProblem? {
  fileprivate var kind: String { self?.level.rawValue ?? "good" }

  /// For a browser's tab, which has room for few characters. Uses the symbols of the style sheet.
  var title: String {
    switch self?.level {
    case nil: "● Current"
    case .soon: "▲ Attention"
    case .bad: "■ Failing"
    case .unknown: "○ Unknown"
    }
  }
}

extension CatalogView {
  func status(at now: UTCTime) -> PublicationStatus {
    var status = PublicationStatus()
    guard let catalog, !catalog.datasets.isEmpty else {
      status.isPublished = false
      return status
    }
    (status.isUnreadable, status.signatures) = (failure != nil, catalog.signatures)
    status.lifetimeSeconds = reportedLifetimeSeconds
    (status.isDiskFull, status.isDiskNearlyFull) = (standing.isDiskFull, standing.isDiskNearlyFull)
    status.isUnsound = verification?.isSound == false
    status.hasLateMirror = mirrors?.late.isEmpty == false
    status.publisher = publisher?.problems ?? []
    let expired = Set(catalog.signatures.filter { $0.state(at: now) == .expired }.map(\.role))
    let isAllExpired = !expired.isDisjoint(with: Self.sharedRoles)
    status.series = catalog.allSeries.map { metadata in
      var one = SeriesStatus(metadata)
      (one.hasSnapshot, one.missingFiles) = (!servedSnapshots(metadata).isEmpty, missingFiles(metadata))
      one.isExpired = isAllExpired || expired.contains(metadata.series.roleName)
      let told = facts[metadata.series]
      one.gained = told?.gained ?? 0
      one.isOriginHeldOpen = told?.look.reading.tooLongSeconds != nil
      one.doubts = publisher?.doubts[metadata.series] ?? []
      one.steps = SeriesStatus.Steps(told)
      return one
    }
    return status
  }

  /// The roles that every series depends on.
  private static let sharedRoles: Set = [Root.type, Timestamp.type, SnapshotRole.type, Targets.type]
}
