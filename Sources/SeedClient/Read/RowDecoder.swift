import SeedDatabase
import SeedFormat

/// Decodes rows, one after the other: their members from columns, or the one column that there is.
final class RowDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let source: RowSource
  // Making a container takes as long as reading two columns, so it stays for all rows.
  @exclusivity(unchecked) private var latest: KeptContainer?
  @exclusivity(unchecked) private var kept: [KeptContainer] = []

  /// It has to live as long as its statement's rows are read: its containers do not keep it.
  init(_ source: RowSource) { self.source = source }

  deinit { for container in kept { container.end() } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let keys = ObjectIdentifier(type)
    if let latest, latest.keys == keys { return latest.of(type) }
    return keep(type)
  }

  /// The container for keys of a type, made where there is none.
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
