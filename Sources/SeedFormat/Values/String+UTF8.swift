extension String {
  /// Nil if the bytes are not UTF-8. `String(validating:as:)` takes twice as long and requires newer systems.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Invalid bytes were replaced, so the bytes differ.
    guard utf8.count == bytes.count else { return nil }
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      UnsafeRawBufferPointer(own).elementsEqual(UnsafeRawBufferPointer(bytes))
    }
    guard isSame ?? utf8.elementsEqual(bytes) else { return nil }
  }
}
