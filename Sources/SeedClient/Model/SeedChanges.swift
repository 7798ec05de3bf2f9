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
    /// Which rows these are; `nil` unless ``SeedOptions/changedKeyLimit`` asks for them, and where they are more.
    public let keys: Keys?
  }

  /// Keys of rows, each with the values of the key's columns in the key's order.
  public struct Keys: Hashable, Sendable {
    /// Keys that were not there before.
    public let inserted: [[SeedValue]]
    /// Keys of rows with another value in at least one column.
    public let updated: [[SeedValue]]
    /// Keys that are no longer there.
    public let deleted: [[SeedValue]]
  }

  /// The version that the data has now.
  public let version: Version
  /// The tables in which anything changed, by name.
  public let tables: [String: Table]
}
