package import SeedFormat
package import SeedSystem

/// The facts from which a publication's state is derived.
package struct PublicationEvidence: Hashable, Sendable {
  package var isPublished = true
  /// The current publication is unreadable, so the front serves the previous one.
  package var isUnreadable = false
  package var isDiskNearlyFull = false
  package var hasLateMirror = false
  /// Other problems on the publisher's machine.
  package var publisher: Set<PublisherConcern> = []
  package var signatures: [SignatureExpiry] = []
  /// The shortest validity of online signatures; `nil` if unknown.
  package var lifetimeSeconds: Int?
  package var series: [SeriesEvidence] = []

  package init() {}
}

/// The state of a publication: its worst problem, or none.
package enum PublicationVerdict: Hashable, Sendable {
  case nothingPublished
  case expired
  case unreadable
  /// Some series have no snapshot for new clients.
  case notReady([Series])
  case troubled([Series])
  case diskNearlyFull
  /// Clients of a mirror do not get the current publication.
  case mirrorLate
  /// A problem on the publisher's machine other than a failed step.
  case publisher(PublisherConcern)
  /// Online signatures are not being renewed.
  case notRenewed
  case signaturesEnding
  /// No status is reported for some series.
  case untold([Series])
  case current

  package init(_ evidence: PublicationEvidence, at now: UTCTime) {
    let concerns = evidence.series.map { ($0.series, $0.concerns(at: now)) }
    func concerned(_ level: (SeriesConcern) -> Bool) -> [Series] {
      concerns.filter { $0.1.contains(where: level) }.map(\.0)
    }
    let states = Set(evidence.signatures.map { $0.state(at: now, lifetimeSeconds: evidence.lifetimeSeconds) })
    let (unready, troubled) = (concerned { $0 == .noSnapshot }, concerned { $0.level != .unknown })
    let untold = concerned { $0 == .untold }
    let publisher = PublisherConcern.allCases.first(where: evidence.publisher.contains)
    let verdicts: [(isTrue: Bool, Self)] = [
      (!evidence.isPublished, .nothingPublished), (states.contains(.expired), .expired),
      (evidence.isUnreadable, .unreadable), (!unready.isEmpty, .notReady(unready)),
      (publisher == .datasetUnpublished, .publisher(.datasetUnpublished)),
      (!troubled.isEmpty, .troubled(troubled)), (evidence.isDiskNearlyFull, .diskNearlyFull),
      (evidence.hasLateMirror, .mirrorLate), (states.contains(.neglected), .notRenewed),
      (states.contains(.expiring), .signaturesEnding),
    ]
    let rest = publisher.map(Self.publisher) ?? (untold.isEmpty ? .current : .untold(untold))
    self = verdicts.first(where: \.isTrue)?.1 ?? rest
  }

  /// The severity; `nil` if everything is well.
  package var level: ConcernLevel? {
    switch self {
    case .nothingPublished, .expired, .unreadable, .notReady: .bad
    case .troubled, .diskNearlyFull, .mirrorLate, .notRenewed, .signaturesEnding: .soon
    case .publisher(let concern): concern.level
    case .untold: .unknown
    case .current: nil
    }
  }
}

extension PublisherConcern {
  package var level: ConcernLevel { self == .datasetUnpublished ? .bad : .soon }
}
