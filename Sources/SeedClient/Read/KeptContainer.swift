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
