extension String {
  /// The text that these bytes are in UTF-8; `nil` where they are none. `String(validating:as:)` takes twice as long, and
  /// needs newer systems than the apps that link this.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // What is no text was replaced by a mark, whose bytes are others.
    guard utf8.count == bytes.count else { return nil }
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      UnsafeRawBufferPointer(own).elementsEqual(UnsafeRawBufferPointer(bytes))
    }
    guard isSame ?? utf8.elementsEqual(bytes) else { return nil }
  }
}
