public import SeedClient
public import SeedFormat

extension SeedChanges {
  /// The changes of a delta to `version`: `.fixture(version: 8, tables: ["stop": .fixture(updated: 2)])`.
  public static func fixture(version: Int, tables: [String: Table]) -> SeedChanges {
    SeedChanges(version: .fixture(version), tables: tables)
  }
}

extension SeedChanges.Table {
  /// Row counts without keys.
  public static func fixture(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) -> Self {
    Self(inserted: inserted, updated: updated, deleted: deleted, keys: nil)
  }

  /// Changes with keys, as requested by ``SeedClient/SeedOptions/changedKeyLimit``.
  public static func fixture(
    insertedKeys: [[SeedValue]] = [], updatedKeys: [[SeedValue]] = [], deletedKeys: [[SeedValue]] = []
  ) -> Self {
    Self(
      inserted: insertedKeys.count, updated: updatedKeys.count, deleted: deletedKeys.count,
      keys: SeedChanges.Keys(inserted: insertedKeys, updated: updatedKeys, deleted: deletedKeys))
  }
}
