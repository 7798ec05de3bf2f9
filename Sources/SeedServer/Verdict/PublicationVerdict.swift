package import SeedFormat
package import SeedSystem

/// All that can be known of a publication when somebody asks how it stands.
package struct PublicationEvidence: Hashable, Sendable {
  package var isPublished = true
  /// What is published now cannot be read; what was there before is served.
  package var isUnreadable = false
  package var isDiskNearlyFull = false
  package var signatures: [SignatureExpiry] = []
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
    let states = Set(evidence.signatures.map { $0.state(at: now) })
    let (unready, troubled) = (concerned { $0 == .noSnapshot }, concerned { $0.level != .unknown })
    let untold = concerned { $0 == .untold }
    let verdicts: [(isTrue: Bool, Self)] = [
      (!evidence.isPublished, .nothingPublished), (states.contains(.expired), .expired),
      (evidence.isUnreadable, .unreadable), (!unready.isEmpty, .notReady(unready)),
      (!troubled.isEmpty, .troubled(troubled)), (evidence.isDiskNearlyFull, .diskNearlyFull),
      (states.contains(.expiring), .signaturesEnding), (!untold.isEmpty, .untold(untold)),
    ]
    self = verdicts.first(where: \.isTrue)?.1 ?? .current
  }

  /// How bad it is; `nil` where all is well.
  package var level: ConcernLevel? {
    switch self {
    case .nothingPublished, .expired, .unreadable, .notReady: .bad
    case .troubled, .diskNearlyFull, .signaturesEnding: .soon
    case .untold: .unknown
    case .current: nil
    }
  }
}
