/// A container, whatever its keys are.
class KeptContainer {
  let keys: ObjectIdentifier
  let columns: MemberColumns

  init(_ keys: ObjectIdentifier, _ columns: MemberColumns) { (self.keys, self.columns) = (keys, columns) }

  /// Whether somebody else has the container.
  var isShared: Bool { true }

  /// Of a container that an app's type kept, the columns stay for ever, and say that there is no row any more.
  func end() {
    guard isShared else { return }
    columns.end()
    _ = Unmanaged.passRetained(columns)
  }

  /// The container; `type` has to be that of its keys.
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

  // The standard library's container is a reference to an object; were it ever more, it counts as shared.
  override var isShared: Bool {
    guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return true }
    return withUnsafeMutablePointer(to: &container) {
      !$0.withMemoryRebound(to: AnyObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }

  // Here the container's type is known; its caller would look it up each time.
  @inline(never)
  func given() -> Container { container }
}
