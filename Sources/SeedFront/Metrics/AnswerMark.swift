import SeedFormat
import SeedHTTP

/// A response's kind and result, encoded in its measurement's number because cached responses bypass the router.
struct AnswerMark: Hashable, Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    /// Rejected by the server before routing.
    case refused
    case page, health, metrics, openapi, timestamp, metadata, delta, snapshot, overview, redirect, changes
    case unknown
  }

  let kind: Kind
  /// The series' number in the register; 0 for none.
  var series = 0
  /// The distance between the client of `changes` and the head; nil for other kinds.
  var versionsBehind: Int?
  var refusal: ProblemType?

  init(_ kind: Kind, series: Int = 0, versionsBehind: Int? = nil, refusal: ProblemType? = nil) {
    (self.kind, self.series, self.versionsBehind, self.refusal) = (kind, series, versionsBehind, refusal)
  }

  // Eight bits for the kind, sixteen for the series, then versions behind plus one, and the refusal plus one.

  private static let behindBits = 33
  private static let refusalShift = 24 + behindBits

  init(number: Int) {
    kind = Kind(rawValue: number & 0xFF) ?? .unknown
    series = number >> 8 & 0xFFFF
    let behind = number >> 24 & (1 << Self.behindBits - 1)
    versionsBehind = behind > 0 ? behind - 1 : nil
    let refusals = ProblemType.allCases
    let place = number >> Self.refusalShift - 1
    refusal = refusals.indices.contains(place) ? refusals[place] : nil
  }

  var number: Int {
    let behind = versionsBehind.map { min($0, 1 << 32) + 1 } ?? 0
    let place = refusal.flatMap(ProblemType.allCases.firstIndex).map { $0 + 1 } ?? 0
    return kind.rawValue | min(series, 0xFFFF) << 8 | behind << 24 | place << Self.refusalShift
  }
}
