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
    return ColumnContainer(source: source, column: 0, member: nil)
  }
}

/// A row's columns by the members' names.
private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let source: RowSource
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { source.columns.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { source.column(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    source.value(try source.requiredColumn(of: key.stringValue)).isNull
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try source.value(of: key.stringValue, as: type)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try source.value(of: key.stringValue, as: type)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try source.valueIfPresent(of: key.stringValue, as: type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try column(key).decode(type)
  }

  private func column(_ key: Key) throws -> ColumnContainer {
    let column = try source.requiredColumn(of: key.stringValue)
    return ColumnContainer(source: source, column: column, member: key.stringValue)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let column = try column(key)
    return column.decodeNil() ? nil : try column.decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw try column(key).misfit("an object") }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw try column(key).misfit("a list")
  }

  func superDecoder() throws -> any Decoder { RowDecoder(source: source) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    ColumnDecoder(value: try column(key))
  }
}
