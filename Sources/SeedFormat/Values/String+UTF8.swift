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

/// The length of the multibyte sequence at `index` by the Unicode Standard's table 3-7; 0 if it is invalid, -1 if it
/// continues after `end`.
package func utf8SequenceLength(_ bytes: UnsafePointer<UInt8>, _ index: Int, _ end: Int) -> Int {
  let (length, second) = lead(bytes[index])
  guard length > 0 else { return 0 }
  for offset in 1..<length {
    guard index + offset < end else { return -1 }
    let allowed = offset == 1 ? second : 0x80...0xBF
    guard allowed.contains(bytes[index + offset]) else { return 0 }
  }
  return length
}

private func lead(_ byte: UInt8) -> (length: Int, second: ClosedRange<UInt8>) {
  switch byte {
  case 0xC2...0xDF: (2, 0x80...0xBF)
  case 0xE0: (3, 0xA0...0xBF)
  case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
  case 0xED: (3, 0x80...0x9F)
  case 0xF0: (4, 0x90...0xBF)
  case 0xF1...0xF3: (4, 0x80...0xBF)
  case 0xF4: (4, 0x80...0x8F)
  default: (0, 0...0)
  }
}
