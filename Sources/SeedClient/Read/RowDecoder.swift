import SeedDatabase
import SeedFormat

/// Decodes a row: its members from columns, or the one column that there is.
struct RowDecoder: Decoder {
  let source: RowSource
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(MemberContainer<Key>(source: source))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw SeedError(
      .decoding,
      "\(source.type) is a list, but a row has columns with names: make it an object with a member for each")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard source.columns.count == 1 else { throw source.manyColumns() }
    return ColumnContainer(source: source, column: 0, codingPath: [])
  }
}

/// A row's columns by the members' names.
private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let source: RowSource
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { source.columns.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { source.column(of: key.stringValue) != nil }

  private func column(_ key: Key) throws -> Int32 {
    guard let column = source.column(of: key.stringValue) else { throw source.missing(key.stringValue) }
    return column
  }

  func decodeNil(forKey key: Key) throws -> Bool { source.value(try column(key)).isNull }

  private func plain<Value: ColumnValue>(_ key: Key) throws -> Value {
    let column = try column(key)
    guard let value = Value(source.value(column)) else { throw source.misfit(column, [key], Value.wanted) }
    return value
  }

  private func plainIfPresent<Value: ColumnValue>(_ key: Key) throws -> Value? {
    let column = try column(key)
    let found = source.value(column)
    if found.isNull { return nil }
    guard let value = Value(found) else { throw source.misfit(column, [key], "\(Value.wanted)?") }
    return value
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try plain(key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try plain(key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try plain(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try plain(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try plain(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try plain(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try plain(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try plain(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try plain(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try plain(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try plain(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try plain(key) }

  // A column that is not there is a mistake in the query, also for a member that may be NULL.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try plainIfPresent(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try plainIfPresent(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try ColumnContainer(source: source, column: try column(key), codingPath: [key]).decode(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try decodeNil(forKey: key) ? nil : try decode(type, forKey: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw source.misfit(try column(key), [key], "an object") }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw source.misfit(try column(key), [key], "a list")
  }

  func superDecoder() throws -> any Decoder { RowDecoder(source: source) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    ColumnDecoder(source: source, column: try column(key), codingPath: [key])
  }
}
