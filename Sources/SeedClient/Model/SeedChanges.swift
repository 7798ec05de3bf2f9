public import SeedFormat

/// What an apply changed.
public struct SeedChanges: Hashable, Sendable {
  /// Rows of one table.
  public struct Table: Hashable, Sendable {
    /// Rows that were not there before.
    public let inserted: Int
    /// Rows with another value in at least one column.
    public let updated: Int
    /// Rows that are no longer there.
    public let deleted: Int
  }

  /// The version that the data has now.
  public let version: Version
  /// The tables in which anything changed, by name.
  public let tables: [String: Table]
}
