/// How much one page shows. What is beyond is in `/v1`, which has no such limits.
enum PageLimits {
  /// Series up to which all are open at once; beyond, each is folded under its name.
  static let openSeries = 4
  /// Bytes of markup up to which further series are told in full.
  static let sectionBytes = 1_500_000
  /// Rows of the list at the top.
  static let listedSeries = 1000
  /// Builds in a series' strip.
  static let builds = 40
  /// Builds in its table, whose rows are most of a page's bytes.
  static let buildRows = 8
  /// Points of a curve.
  static let points = 60
  /// Versions among the changes.
  static let versions = 6
  static let snapshots = 20
  static let tables = 100
  /// Unicode scalars of one table's schema.
  static let schemaScalars = 10_000
  /// Columns that a table's row names.
  static let columns = 12
  static let roots = 5
  static let roles = 20
}
