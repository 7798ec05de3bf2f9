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

  init(_ kind: Kind, series: Int = 0, versionsBehind: Int? = nil) {
    self.kind = kind
    self.series = series
    self.versionsBehind = versionsBehind
  }

  // Eight bits for the kind, sixteen for the series, then the versions behind plus one.

  init(number: Int) {
    kind = Kind(rawValue: number & 0xFF) ?? .unknown
    series = number >> 8 & 0xFFFF
    versionsBehind = number >> 24 > 0 ? number >> 24 - 1 : nil
  }

  var number: Int {
    kind.rawValue | min(series, 0xFFFF) << 8 | (versionsBehind.map { min($0, 1 << 32) + 1 } ?? 0) << 24
  }
}
