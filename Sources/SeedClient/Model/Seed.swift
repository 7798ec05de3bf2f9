public import SeedFormat

public import struct Foundation.URL

/// A data file, kept on disk as long as this value or a copy of it exists.
///
/// Open ``url`` read-only with any SQLite library, and close the connection before releasing this value.
/// Deltas change rows in this file. A snapshot is a new file, the next element of ``SeedStore/files``.
public struct Seed: Hashable, Sendable {
  /// The SQLite file.
  public let url: URL
  /// The file's version when this value was made; later deltas raise the file's version.
  public let version: SeedVersion
  private let keeper: any AnyObject & Sendable

  package init(file: String, version: SeedVersion, keeper: any AnyObject & Sendable) {
    url = URL(fileURLWithPath: file)
    self.version = version
    self.keeper = keeper
  }

  /// Whether both are the same version of the same file.
  public static func == (left: Seed, right: Seed) -> Bool {
    left.url == right.url && left.version == right.version
  }

  /// Hashes the file and the version.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(version)
  }
}

/// The source of a store's data file.
public enum SeedOrigin: String, Hashable, Sendable, CaseIterable {
  case bundled
  case downloaded
}

/// The rows that one delta changed.
public struct SeedChanges: Hashable, Sendable {
  /// Rows of one table.
  public struct Table: Hashable, Sendable {
    /// Number of new rows.
    public let inserted: Int
    /// Number of rows with a different value in at least one column.
    public let updated: Int
    /// Number of removed rows.
    public let deleted: Int
    /// The keys of these rows; `nil` if ``SeedOptions/reportedKeysPerTable`` is `nil` or exceeded.
    public let keys: Keys?
    /// The columns whose values may differ; nil if rows were added or removed.
    let columns: Set<String>?

    package init(inserted: Int, updated: Int, deleted: Int, keys: Keys?, columns: Set<String>? = nil) {
      (self.inserted, self.updated, self.deleted, self.keys) = (inserted, updated, deleted, keys)
      self.columns = columns
    }

    /// Whether counts and keys are equal.
    public static func == (left: Self, right: Self) -> Bool {
      (left.inserted, left.updated, left.deleted, left.keys)
        == (right.inserted, right.updated, right.deleted, right.keys)
    }

    /// Hashes the counts.
    public func hash(into hasher: inout Hasher) { hasher.combine([inserted, updated, deleted]) }
  }

  /// Keys of rows. Each key is a list of values, one per key column, in the key's order.
  public struct Keys: Hashable, Sendable {
    /// Keys of new rows.
    public let inserted: [[SeedValue]]
    /// Keys of rows with a different value in at least one column.
    public let updated: [[SeedValue]]
    /// Keys of removed rows.
    public let deleted: [[SeedValue]]
  }

  /// The new version of the data.
  public let version: SeedVersion
  /// The changed tables, by name.
  public let tables: [String: Table]

  package init(version: SeedVersion, tables: [String: Table]) {
    (self.version, self.tables) = (version, tables)
  }

  var rowCount: Int { tables.values.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted } }
}

extension SeedChanges.Table {
  static func + (left: Self, right: Self) -> Self {
    Self(
      inserted: left.inserted + right.inserted, updated: left.updated + right.updated,
      deleted: left.deleted + right.deleted, keys: nil,
      columns: left.columns.flatMap { left in right.columns.map(left.union) })
  }
}

/// The data that an app was built for: a dataset, a version of its model and that model's schema hash.
///
/// `seedbank config swift` prints this value, so the publisher and the app agree on it.
public struct SeedModel: Hashable, Sendable {
  /// The dataset.
  public let dataset: DatasetName
  /// The version of the schema that the app's queries were written for.
  public let version: ModelVersion
  /// `nil` accepts the schema in the signed metadata, for tools without their own queries.
  package let schema: SHA256Digest?

  /// Creates a model whose schema is pinned by its hash.
  public init(dataset: DatasetName, version: ModelVersion, schema: SHA256Digest) {
    (self.dataset, self.version, self.schema) = (dataset, version, schema)
  }

  package init(dataset: DatasetName, version: ModelVersion) {
    (self.dataset, self.version, schema) = (dataset, version, nil)
  }

  /// The series that the model belongs to.
  public var series: SeedSeries { SeedSeries(dataset, model: version) }

  func accepts(_ signed: SHA256Digest) -> Bool { schema == nil || schema == signed }
}
