import SeedDatabase
import SeedFormat

/// Decodes rows one by one: members from columns, or a single value from a single column.
final class RowDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let source: RowSource
  // Kept for all rows, because creating a container costs as much as reading two columns.
  @exclusivity(unchecked) private var latest: KeptContainer?
  @exclusivity(unchecked) private var kept: [KeptContainer] = []

  /// Must outlive the statement's rows: its containers do not retain it.
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

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard source.columns.count == 1 else { throw source.manyColumns() }
    return ColumnContainer(source: source, column: 0, member: nil)
  }
}
