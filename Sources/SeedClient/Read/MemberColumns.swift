import SeedDatabase
import SeedFormat

/// The columns of a type's members, learnt during the first row. Later, one-byte keys need no name lookup.
final class MemberColumns {
  // Unmanaged, because reference counting for each column would double the cost.
  private let decoder: Unmanaged<RowDecoder>
  private let source: Unmanaged<RowSource>
  private var hasEnded = false
  /// By slot: the first 256 belong to one-byte keys.
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

  /// The rows' decoder; superclasses use it too.
  func rows() throws -> RowDecoder {
    guard !hasEnded else {
      throw SeedError(
        .decoding, "a type reads a row that is gone: read all members in its init(from:)")
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

  // Not generic over the app's keys, so that the compiler can specialize these for each value type.

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
