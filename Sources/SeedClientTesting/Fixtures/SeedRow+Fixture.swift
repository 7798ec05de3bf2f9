public import SeedClient
public import SeedFormat

extension SeedRow {
  /// A row with columns in the given order: `SeedRow(["id": "a", "name": "Alexanderplatz"])`.
  public init(_ columns: KeyValuePairs<String, any SeedValueConvertible>) {
    self.init(names: columns.map(\.key), values: columns.map(\.value.seedValue))
  }
}
