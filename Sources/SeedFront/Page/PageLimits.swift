/// The limits of the page. `/v1` has none of them.
enum PageLimits {
  /// With more series than this, each is collapsed under its name.
  static let openSeries = 4
  /// The size of markup after which further series are only listed.
  static let sectionBytes = 1_500_000
  static let listedSeries = 1000
  static let builds = 40
  /// The builds in its table, whose rows are most of a page's bytes.
  static let buildRows = 8
  static let points = 60
  static let versions = 6
  static let snapshots = 20
  static let tables = 100
  /// The limit of one table's schema.
  static let schemaScalars = 10_000
  static let columns = 12
  static let roots = 5
  static let roles = 20
}
