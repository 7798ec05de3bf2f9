public import SeedFormat

public import struct Foundation.URL

/// One file of the data, which stays on the disk for as long as this value or a copy of it lives.
///
/// Open ``url`` read-only, with whatever the app reads SQLite with, and close the connection before this value goes.
/// Deltas change the rows of the same file; a snapshot makes another one, which the next element of `openings` names.
public struct Seed: Sendable {
  /// The SQLite file.
  public let url: URL
  /// The version that the file had when this value was made; deltas take it on.
  public let version: Version
  private let keeper: any AnyObject & Sendable

  /// A file that stays for as long as `keeper` lives.
  package init(file: String, version: Version, keeper: any AnyObject & Sendable) {
    url = URL(fileURLWithPath: file)
    self.version = version
    self.keeper = keeper
  }
}

/// Where the file of a store's data came from.
public enum SeedOrigin: String, Hashable, Sendable, CaseIterable {
  /// The app brought it along.
  case bundled
  /// A server sent it.
  case downloaded
}

/// The rows that one delta changed.
public struct SeedChanges: Hashable, Sendable {
  /// Rows of one table.
  public struct Table: Hashable, Sendable {
    /// Rows that were not there before.
    public let inserted: Int
    /// Rows with another value in at least one column.
    public let updated: Int
    /// Rows that are no longer there.
    public let deleted: Int
    /// The keys of these rows; `nil` unless ``SeedOptions/changedKeyLimit`` asks for them, and where they are more.
    public let keys: Keys?

    /// So many rows, with their keys where these were asked for.
    package init(inserted: Int, updated: Int, deleted: Int, keys: Keys?) {
      (self.inserted, self.updated, self.deleted, self.keys) = (inserted, updated, deleted, keys)
    }
  }

  /// Keys of rows, each with the values of the key's columns in the key's order.
  public struct Keys: Hashable, Sendable {
    /// Keys that were not there before.
    public let inserted: [[SeedValue]]
    /// Keys of rows with another value in at least one column.
    public let updated: [[SeedValue]]
    /// Keys that are no longer there.
    public let deleted: [[SeedValue]]

    /// The keys of one table's rows.
    package init(inserted: [[SeedValue]], updated: [[SeedValue]], deleted: [[SeedValue]]) {
      (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }
  }

  /// The version that the data has now.
  public let version: Version
  /// The tables in which anything changed, by name.
  public let tables: [String: Table]

  /// What the delta to a version changed.
  package init(version: Version, tables: [String: Table]) { (self.version, self.tables) = (version, tables) }

  var rowCount: Int { tables.values.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted } }
}

extension SeedChanges.Table {
  static func + (left: Self, right: Self) -> Self {
    Self(
      inserted: left.inserted + right.inserted, updated: left.updated + right.updated,
      deleted: left.deleted + right.deleted, keys: nil)
  }
}
