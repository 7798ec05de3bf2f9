import Foundation
public import SeedFormat

/// The row changes of one version, applied in order.
///
/// Column names match as when reading: `stepFree` also matches `step_free`.
public struct RowChanges: Sendable {
  private(set) var changes: [@Sendable (TestPublication) throws -> Void] = []

  /// Inserts a row, or replaces the row with the same key. Missing columns get their default or NULL.
  public mutating func put(_ row: [String: any SeedValueConvertible], in table: String) {
    put(row.mapValues(\.seedValue), table)
  }

  /// Like `put(_:in:)`, with an app's own type. Dates become ISO 8601; lists and objects become JSON text. UUIDs
  /// become text in upper case, as Foundation encodes them, although queries bind them in lower case.
  public mutating func put(encoding row: some Encodable, in table: String) {
    do {
      put(try EncodedRow(row).values, table)
    } catch {
      let failure = TestPublisherError("table \"\(table)\": cannot encode \(row): \(error)")
      changes.append { _ in throw failure }
    }
  }

  private mutating func put(_ values: [String: SeedValue], _ table: String) {
    changes.append { try $0.put(values, in: table) }
  }

  /// Changes columns of the row with this key, and keeps its other columns. Pass the key's values in the key's order.
  public mutating func change(
    _ key: any SeedValueConvertible..., in table: String, to values: [String: any SeedValueConvertible]
  ) {
    changes.append { [key = key.map(\.seedValue), values = values.mapValues(\.seedValue)] in
      try $0.update(key, in: table, to: values)
    }
  }

  /// Deletes the row with this key, such as `rows.delete(1, 5, from: "opening_hour")`.
  public mutating func delete(_ key: any SeedValueConvertible..., from table: String) {
    changes.append { [key = key.map(\.seedValue)] in try $0.delete(key, from: table) }
  }
}

/// An app's own type, encoded as column values.
struct EncodedRow {
  let values: [String: SeedValue]

  init(_ row: some Encodable) throws {
    let document = try JSONValue(parsing: Array(Self.encoder.encode(row)))
    guard let members = document.members else {
      throw TestPublisherError("it is \(document.kind), but a row has columns: encode an object")
    }
    values = Dictionary(members.map { ($0.name, Self.value($0.value)) }) { $1 }
  }

  /// Marks a blob column's value in JSON, which has no blobs.
  private static let blobMark = "\u{0}blob:"

  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.dataEncodingStrategy = .custom { data, encoder in
      var container = encoder.singleValueContainer()
      let isColumn = encoder.codingPath.count == 1
      try container.encode((isColumn ? blobMark : "") + data.base64EncodedString())
    }
    return encoder
  }()

  private static func value(_ json: JSONValue) -> SeedValue {
    switch json {
    case .null: return .null
    case .bool(let value): return .integer(value ? 1 : 0)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .string(let text):
      guard text.hasPrefix(blobMark) else { return .text(text) }
      return .blob(Array(Data(base64Encoded: String(text.dropFirst(blobMark.count))) ?? Data()))
    case .array, .object: return .text(String(decoding: json.bytes, as: UTF8.self))
    }
  }
}
