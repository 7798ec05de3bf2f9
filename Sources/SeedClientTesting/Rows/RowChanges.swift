public import SeedFormat

/// The row changes of one version, applied in order.
///
/// ```swift
/// try seeds.publish { rows in
///   rows.put(["id": "a", "name": "Alexanderplatz"], in: "stop")
///   rows.change("b", in: "stop", to: ["name": "Berlin Hbf"])
///   rows.delete("c", from: "stop")
/// }
/// ```
///
/// Names are column names; `stepFree` also matches `step_free`, as in reading.
public struct RowChanges: Sendable {
  enum Change: Sendable {
    case put([String: SeedValue], table: String)
    case change(key: [SeedValue], [String: SeedValue], table: String)
    case delete(key: [SeedValue], table: String)
  }

  private(set) var changes: [Change] = []
  private(set) var failure: TestPublisherError?

  /// Inserts a row or replaces the one with its key. Missing columns get their default or NULL.
  public mutating func put(_ row: [String: any SeedValueConvertible], in table: String) {
    changes.append(.put(row.mapValues(\.seedValue), table: table))
  }

  /// Like `put(_:in:)`, with an app's own type: dates become ISO 8601, lists and objects JSON text.
  public mutating func put(encoding row: some Encodable, in table: String) {
    do {
      changes.append(.put(try EncodedRow(row).values, table: table))
    } catch {
      failure = failure ?? TestPublisherError("table \"\(table)\": cannot encode \(row): \(error)")
    }
  }

  /// Changes columns of the row with this key and keeps the others. Pass the key's values in the key's order.
  public mutating func change(
    _ key: any SeedValueConvertible..., in table: String, to values: [String: any SeedValueConvertible]
  ) {
    changes.append(.change(key: key.map(\.seedValue), values.mapValues(\.seedValue), table: table))
  }

  /// Deletes the row with this key. Pass the key's values in the key's order.
  public mutating func delete(_ key: any SeedValueConvertible..., from table: String) {
    changes.append(.delete(key: key.map(\.seedValue), table: table))
  }
}
