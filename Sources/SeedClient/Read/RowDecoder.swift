import SeedDatabase
import SeedFormat

/// Decodes rows one by one: members from columns, or a single value from a single column.
final class RowDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let source: RowSource
  // Containers are kept for all rows, because creating one costs as much as reading two columns.
  @exclusivity(unchecked) private var latest: KeptContainer?
  @exclusivity(unchecked) private var kept: [KeptContainer] = []

  /// The decoder must outlive the statement's rows, because its containers do not retain it.
  init(_ source: RowSource) { self.source = source }

  deinit { for container in kept { container.end() } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let keys = ObjectIdentifier(type)
    if let latest, latest.keys == keys { return latest.of(type) }
    return keep(type)
  }

  private func keep<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
    let earlier = kept.first { $0.keys == ObjectIdentifier(type) }
    let found = earlier ?? KeptContainerOf(MemberColumns(self), type)
    if earlier == nil { kept.append(found) }
    latest = found
    return found.of(type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw SeedError(
      .decoding,
      "\(source.type) is a list, but a row has columns with names: make it an object with a member for each")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { try source.onlyColumn() }
}

class KeptContainer {
  let keys: ObjectIdentifier
  let columns: MemberColumns

  init(_ keys: ObjectIdentifier, _ columns: MemberColumns) { (self.keys, self.columns) = (keys, columns) }

  /// Whether the app's type has kept a copy of the container.
  var isShared: Bool { true }

  /// If an app's type has kept the container, leaks the columns on purpose: a later access must throw, not crash.
  func end() {
    guard isShared else { return }
    columns.end()
    _ = Unmanaged.passRetained(columns)
  }

  /// `type` must be the type of the container's keys.
  @inline(__always)
  final func of<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
    unsafeDowncast(self, to: KeptContainerOf<KeyedDecodingContainer<Key>>.self).given()
  }
}

final class KeptContainerOf<Container>: KeptContainer {
  private var container: Container

  init<Key: CodingKey>(_ columns: MemberColumns, _ type: Key.Type)
  where Container == KeyedDecodingContainer<Key> {
    container = KeyedDecodingContainer(MemberContainer<Key>(columns: .passUnretained(columns)))
    super.init(ObjectIdentifier(type), columns)
  }

  // The standard library's container is one reference; if that ever changes, treat it as shared.
  override var isShared: Bool {
    guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return true }
    return withUnsafeMutablePointer(to: &container) {
      !$0.withMemoryRebound(to: AnyObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }

  // Not inlined, because only this function has the container's static type. A caller would look it up on each call.
  @inline(never)
  func given() -> Container { container }
}

/// The columns of a type's members, learned from the first row. After that, one-byte keys need no name lookup.
final class MemberColumns {
  // Unmanaged, because reference counting for each column would double the cost.
  private let decoder: Unmanaged<RowDecoder>
  private let source: Unmanaged<RowSource>
  private var hasEnded = false
  /// Columns by slot. The first 256 slots belong to one-byte keys.
  @exclusivity(unchecked) private var columns: [Int32] = Array(repeating: -1, count: 256)
  @exclusivity(unchecked) private var members: [Int: String] = [:]
  @exclusivity(unchecked) private var slots: [String: Int] = [:]

  init(_ decoder: RowDecoder) {
    (self.decoder, source) = (.passUnretained(decoder), .passUnretained(decoder.source))
  }

  func end() {
    hasEnded = true
    (columns, slots) = (columns.map { _ in -1 }, [:])
  }

  /// The rows' decoder, which also decodes superclasses.
  func rows() throws -> RowDecoder {
    guard !hasEnded else {
      throw SeedError(
        .decoding, "a type reads a row after its init(from:) has returned: read all members in init(from:)")
    }
    return decoder.takeUnretainedValue()
  }

  @inline(__always)
  func slot<Key: CodingKey>(_ key: Key) throws -> Int {
    guard MemoryLayout<Key>.size <= 1, _isPOD(Key.self) else { return try namedSlot(key.stringValue) }
    // The key of a single-member type has no bytes.
    let byte = MemoryLayout<Key>.size == 0 ? 0 : Int(unsafeBitCast(key, to: UInt8.self))
    if columns[byte] < 0 { try learn(key.stringValue, byte) }
    return byte
  }

  private func namedSlot(_ member: String) throws -> Int {
    if let slot = slots[member] { return slot }
    let column = try column(of: member)
    let slot = columns.count
    columns.append(column)
    (members[slot], slots[member]) = (member, slot)
    return slot
  }

  private func learn(_ member: String, _ slot: Int) throws {
    (columns[slot], members[slot]) = (try column(of: member), member)
  }

  private func column(of member: String) throws -> Int32 { try rows().source.column(of: member) }

  func value(_ slot: Int) -> BorrowedValue { source._withUnsafeGuaranteedRef { $0.value(columns[slot]) } }

  // These are not generic over the app's keys, so that the compiler can specialize them for each value type.

  func plain<Value: ColumnValue>(_ slot: Int) throws -> Value {
    guard let value = Value(value(slot)) else { throw misfit(slot, Value.wanted) }
    return value
  }

  func plainIfPresent<Value: ColumnValue>(_ slot: Int) throws -> Value? {
    let found = value(slot)
    if case .null = found { return nil }
    guard let value = Value(found) else { throw misfit(slot, "\(Value.wanted)?") }
    return value
  }

  private func misfit(_ slot: Int, _ wanted: String) -> SeedError { container(slot).misfit(wanted) }

  func container(_ slot: Int) -> ColumnContainer {
    ColumnContainer(source: source.takeUnretainedValue(), column: columns[slot], member: members[slot])
  }
}

struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  // Unmanaged, so that the standard library copies this container for each member without reference counting.
  let columns: Unmanaged<MemberColumns>
  var codingPath: [any CodingKey] { [] }

  private func row() throws -> RowSource { try columns._withUnsafeGuaranteedRef { try $0.rows().source } }

  var allKeys: [Key] { ((try? row().columns) ?? []).compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool {
    if (try? columns._withUnsafeGuaranteedRef { try $0.slot(key) }) != nil { return true }
    return (try? row().has(key.stringValue)) ?? false
  }

  // These are inlined so that the compiler specializes them for each value type.

  /// The protocol's functions for `Bool`, `String` and numbers. `decodeIfPresent` needs one function for each type,
  /// because a generic one does not replace the protocol's defaults.
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
