package import SeedFormat
package import SeedSystem

/// All that can be known of a publication when somebody asks how it stands.
package struct PublicationEvidence: Hashable, Sendable {
  package var isPublished = true
  /// What is published now cannot be read; what was there before is served.
  package var isUnreadable = false
  package var isDiskNearlyFull = false
  /// A mirror could not be brought up to date.
  package var hasLateMirror = false
  /// What else is wrong on the publisher's machine.
  package var publisher: Set<PublisherConcern> = []
  package var signatures: [SignatureExpiry] = []
  /// The shortest time for which online signatures are made; `nil` where nobody tells.
  package var lifetimeSeconds: Int?
  package var series: [SeriesEvidence] = []

  package init() {}
}

/// How a publication stands, in one word: the worst that is true of it.
package enum PublicationVerdict: Hashable, Sendable {
  case nothingPublished
  case expired
  case unreadable
  /// Some series have no snapshot to start from.
  case notReady([Series])
  /// Some series need somebody's attention.
  case troubled([Series])
  case diskNearlyFull
  /// Clients of a mirror do not get what is published.
  case mirrorLate
  /// Something is wrong on the publisher's machine beside its steps.
  case publisher(PublisherConcern)
  /// Nobody renews signatures that each publisher renews by itself.
  case notRenewed
  /// A key that may be kept elsewhere must be fetched.
  case signaturesEnding
  /// Nobody tells whether some series are current.
  case untold([Series])
  case current

  /// The verdict at a moment.
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

  /// How bad it is; `nil` where all is well.
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
  /// How bad it is.
  package var level: ConcernLevel { self == .datasetUnpublished ? .bad : .soon }
}
