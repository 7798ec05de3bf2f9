import SeedDatabase
import SeedFormat

struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  // Unmanaged, so that the standard library copies this for each member without reference counting.
  let columns: Unmanaged<MemberColumns>
  var codingPath: [any CodingKey] { [] }

  private func row() throws -> RowSource { try columns._withUnsafeGuaranteedRef { try $0.rows().source } }

  var allKeys: [Key] { ((try? row().columns) ?? []).compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool {
    if (try? columns._withUnsafeGuaranteedRef { try $0.slot(key) }) != nil { return true }
    return (try? row().has(key.stringValue)) ?? false
  }

  // Inlined so that the compiler specializes them for each value type.

  /// The protocol's functions for `Bool`, `String` and the numbers. Those of `decodeIfPresent` have defaults, which a
  /// generic function does not replace.
  @inline(__always)
  func decode<Value: ColumnValue>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try columns._withUnsafeGuaranteedRef { try $0.plain($0.slot(key)) }
  }

  @inline(__always)
  private func plainIfPresent<Value: ColumnValue>(_ key: Key) throws -> Value? {
    try columns._withUnsafeGuaranteedRef { try $0.plainIfPresent($0.slot(key)) }
  }

  func decodeNil(forKey key: Key) throws -> Bool { try column(key).decodeNil() }

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
    try column(key).decode(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let column = try column(key)
    return column.decodeNil() ? nil : try column.decode(type)
  }

  private func column(_ key: Key) throws -> ColumnContainer {
    try columns._withUnsafeGuaranteedRef { try $0.container($0.slot(key)) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try superDecoder(forKey: key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try superDecoder(forKey: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try columns._withUnsafeGuaranteedRef { try $0.rows() } }

  func superDecoder(forKey key: Key) throws -> any Decoder { ColumnDecoder(try column(key)) }
}
