public import SeedFormat

/// The changes of rows that make up one version.
///
/// ```swift
/// try seeds.publish { rows in
///   rows.put(["id": "a", "name": "Alexanderplatz"], in: "stop")
///   rows.change("b", in: "stop", to: ["name": "Berlin Hbf"])
///   rows.delete("c", from: "stop")
/// }
/// ```
///
/// They happen in that order. Names are those of columns; `stepFree` also stands for `step_free`, as where rows are read.
public struct RowChanges: Sendable {
  enum Change: Sendable {
    case put([String: SeedValue], table: String)
    case change(key: [SeedValue], [String: SeedValue], table: String)
    case delete(key: [SeedValue], table: String)
  }

  private(set) var changes: [Change] = []
  /// The first row that could not be encoded.
  private(set) var failure: TestPublisherError?

  /// Adds a row, or replaces the one with its key. Columns that are not given have their default, or NULL.
  public mutating func put(_ row: [String: any SeedValueConvertible], in table: String) {
    changes.append(.put(row.mapValues(\.seedValue), table: table))
  }

  /// The same, with the members of an app's own type: dates become ISO 8601, lists and objects JSON in a text.
  public mutating func put(encoding row: some Encodable, in table: String) {
    do {
      changes.append(.put(try EncodedRow(row).values, table: table))
    } catch {
      failure = failure ?? TestPublisherError("table \"\(table)\": cannot encode \(row): \(error)")
    }
  }

  /// Changes columns of the row with this key, whose values stand in the key's order; the other columns stay.
  public mutating func change(
    _ key: any SeedValueConvertible..., in table: String, to values: [String: any SeedValueConvertible]
  ) {
    changes.append(.change(key: key.map(\.seedValue), values.mapValues(\.seedValue), table: table))
  }

  /// Takes the row with this key away, whose values stand in the key's order.
  public mutating func delete(_ key: any SeedValueConvertible..., from table: String) {
    changes.append(.delete(key: key.map(\.seedValue), table: table))
  }
}
