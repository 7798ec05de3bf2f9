package import SeedFormat
package import SeedSystem

package struct PublicationStatus: Hashable, Sendable {
  package var isPublished = true
  /// The current publication is unreadable, so the front serves the previous one.
  package var isUnreadable = false
  /// The newest verification found errors.
  package var isUnsound = false
  package var isDiskFull = false
  package var isDiskNearlyFull = false
  package var hasLateMirror = false
  /// Problems on the publisher's machine other than a failed step.
  package var publisher: Set<PublisherProblem> = []
  package var signatures: [SignatureExpiry] = []
  /// The shortest validity of online signatures; `nil` if unknown.
  package var lifetimeSeconds: Int?
  package var series: [SeriesStatus] = []

  package init() {}
}

/// A problem of a publication. The cases are in order, worst first.
package enum PublicationProblem: Hashable, Sendable {
  case nothingPublished
  case expired
  case unreadable
  /// Some series have no snapshot for new clients.
  case notReady([SeedSeries])
  case unsound
  /// Steps cannot publish anything.
  case diskFull
  case needAttention([SeedSeries])
  case diskNearlyFull
  /// Clients of a mirror do not get the current publication.
  case mirrorLate
  case notRenewed
  case signaturesEnding
  case publisher(PublisherProblem)
  /// No status is reported for some series.
  case notReported([SeedSeries])

  package var level: ProblemLevel {
    switch self {
    case .nothingPublished, .expired, .unreadable, .unsound, .notReady, .diskFull: .bad
    case .needAttention, .diskNearlyFull, .mirrorLate, .notRenewed, .signaturesEnding: .soon
    case .publisher(let problem): problem == .datasetUnpublished ? .bad : .soon
    case .notReported: .unknown
    }
  }
}

extension PublicationStatus {
  /// Returns the problems, worst first; empty if the publication is current.
  package func problems(at now: UTCTime) -> [PublicationProblem] {
    let problems = series.map { ($0.series, $0.problems(at: now)) }
    func found(_ isMeant: (SeriesProblem) -> Bool) -> [SeedSeries] {
      problems.filter { $0.1.contains(where: isMeant) }.map(\.0)
    }
    let states = Set(signatures.map { $0.state(at: now, lifetimeSeconds: lifetimeSeconds) })
    let (unready, needAttention) = (found { $0 == .noSnapshot }, found { $0.level != .unknown })
    let notReported = found { $0 == .notReported }
    let inOrder: [(isTrue: Bool, PublicationProblem)] = [
      (!isPublished, .nothingPublished), (states.contains(.expired), .expired),
      (isUnreadable, .unreadable), (!unready.isEmpty, .notReady(unready)), (isUnsound, .unsound),
      (isDiskFull, .diskFull),
      (publisher.contains(.datasetUnpublished), .publisher(.datasetUnpublished)),
      (!needAttention.isEmpty, .needAttention(needAttention)),
      (isDiskNearlyFull && !isDiskFull, .diskNearlyFull),
      (hasLateMirror, .mirrorLate), (states.contains(.notRenewed), .notRenewed),
      (states.contains(.expiring), .signaturesEnding),
    ]
    let others = PublisherProblem.allCases.filter { $0 != .datasetUnpublished && publisher.contains($0) }
    return inOrder.filter(\.isTrue).map(\.1) + others.map(PublicationProblem.publisher)
      + (notReported.isEmpty ? [] : [.notReported(notReported)])
  }
}

extension SeriesProblem {
  /// Returns the title and the remedy that all reports share; empty if each report has a different text. The
  /// remedy continues a sentence, and encloses commands in apostrophes.
  package func words(in dataset: DatasetName) -> (title: String, remedy: String) {
    switch self {
    case .expired: ("signatures expired", "")
    case .noSnapshot: ("no snapshot", "'seedbank verify' shows what to do")
    case .filesMissing: ("files are missing", "'seedbank verify' shows what to do")
    case .stepFailed: ("", "")
    case .clocksDiffer:
      ("clocks differ", "'timedatectl' here and at the publisher shows whose clock is not synchronized")
    case .noStep:
      (
        "no recent check",
        "is the publisher running? Start 'seedbank run', or check the timer of 'seedbank regenerate'"
      )
    case .old:
      (
        "older than expected",
        "is its origin still updated? 'seedbank status --history' shows when rows last changed"
      )
    case .held:
      (
        "held by a rollback",
        "'seedbank regenerate --dataset \(dataset) --resume' publishes its origin again; add '--accept-shrink' if the "
          + "origin has lost many rows or values on purpose"
      )
    case .gained:
      (
        "new in the origin",
        "'seedbank status' lists them; 'seedbank model new' publishes them, 'seedbank model skip' excludes them"
      )
    case .originHeldOpen: ("long transaction", "'seedbank status' shows how to make it shorter")
    case .modelGone:
      ("its model is missing", "'seedbank status' shows what to put back, or how to end the series")
    case .copyUnreadable:
      (
        "working copy unreadable",
        "the next step, such as 'seedbank regenerate', rebuilds the copy; if this happens again, check the disk"
      )
    case .logDoubted: ("log in doubt", "'seedbank status' shows why, and what to do")
    case .notReported: ("not known", "'seedbank regenerate' runs one")
    }
  }
}
