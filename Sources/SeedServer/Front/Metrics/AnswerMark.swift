import SeedFormat
import SeedHTTP

/// What an answer was, in the number that comes back with its measurement.
///
/// An answer that is used again passes no code of ours on its way out: all that is to be counted of it stands
/// in this number.
struct AnswerMark: Hashable, Sendable {
  /// What was asked for.
  enum Kind: Int, CaseIterable, Sendable {
    /// The server refused the request itself.
    case refused
    case page, health, metrics, openapi, metadata, delta, snapshot, overview, redirect, changes
    /// Nothing of ours.
    case unknown
  }

  let kind: Kind
  /// The series, by its place in the register; 0 for none.
  var series = 0
  /// How many versions the client of `changes` was behind; nil where that has no meaning.
  var versionsBehind: Int?
  /// Why there was no other answer; nil where there was one.
  var refusal: ProblemType?

  init(_ kind: Kind, series: Int = 0, versionsBehind: Int? = nil, refusal: ProblemType? = nil) {
    self.kind = kind
    self.series = series
    self.versionsBehind = versionsBehind
    self.refusal = refusal
  }

  // Eight bits for the kind, sixteen for the series, then the versions behind plus one, then the refusal's place
  // plus one.

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
