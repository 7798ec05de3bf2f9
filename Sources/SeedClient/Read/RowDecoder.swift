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

  func singleValueContainer() throws -> any SingleValueDecodingContainer { try source.onlyColumn() }
}

class KeptContainer {
  let keys: ObjectIdentifier
  let columns: MemberColumns

  init(_ keys: ObjectIdentifier, _ columns: MemberColumns) { (self.keys, self.columns) = (keys, columns) }

  /// Whether the app's type has kept a copy of the container.
  var isShared: Bool { true }

  /// If an app's type kept the container, its columns are leaked on purpose: they report that the row is gone.
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

  // A separate function, because the container's type is static here; the caller would look it up on each call.
  @inline(never)
  func given() -> Container { container }
}
