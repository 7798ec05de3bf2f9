import struct Foundation.Data

/// Encodes one value in a delta: JSON's scalars, plus three tagged objects for values that JSON lacks.
enum DeltaScalar {
  static let integerTag = "i64"
  static let realTag = "f64"
  static let blobTag = "b64"

  static func write(_ value: BorrowedValue, _ add: ((inout [UInt8]) -> Void) throws -> Void) rethrows {
    switch value {
    // Written directly, because a `JSONValue` would cost an allocation.
    case .integer(let value) where isExact(value): try add { $0.append(contentsOf: String(value).utf8) }
    case .real(let value) where value.isFinite: try add { JSONWriter.append(value, to: &$0) }
    case .text(let bytes):
      try add { $0.append(UInt8(ascii: "\"")) }
      for piece in pieces(bytes) { try add { JSONWriter.append(escaping: piece, to: &$0) } }
      try add { $0.append(UInt8(ascii: "\"")) }
    case .blob(let bytes):
      try add { $0.append(contentsOf: "{\"\(blobTag)\":\"".utf8) }
      for piece in pieces(bytes) { try add { $0.append(contentsOf: Base64.letters(piece)) } }
      try add { $0.append(contentsOf: "\"}".utf8) }
    case .null, .integer, .real: try add { JSONWriter.append(value.owned.json, to: &$0) }
    }
  }

  private static func pieces(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> some Sequence<Slice<UnsafeBufferPointer<UInt8>>> {
    stride(from: 0, to: bytes.count, by: Base64.pieceBytes).lazy.map {
      bytes[$0..<min($0 + Base64.pieceBytes, bytes.count)]
    }
  }

  static func isExact(_ value: Int64) -> Bool { value.magnitude <= UInt64(Limits.exactJSONInteger) }

  /// Returns the integer of an `i64`; nil if the text is not canonical.
  static func taggedInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let text = String(decoding: text, as: UTF8.self)
    guard let value = Int64(text), String(value) == text, !isExact(value) else { return nil }
    return value
  }

  static func taggedReal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    if text.elementsEqual("Infinity".utf8) { return .infinity }
    if text.elementsEqual("-Infinity".utf8) { return -.infinity }
    return nil
  }
}

extension SeedValue {
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let value) where DeltaScalar.isExact(value): .integer(value)
    case .integer(let value): .object([JSONMember(DeltaScalar.integerTag, .string(String(value)))])
    case .real(let value) where value.isFinite: .real(value)
    case .real(let value):
      .object([JSONMember(DeltaScalar.realTag, .string(value < 0 ? "-Infinity" : "Infinity"))])
    case .text(let value): .string(value)
    case .blob(let value): .object([JSONMember(DeltaScalar.blobTag, .string(Base64.encode(value)))])
    }
  }
}

/// RFC 4648 §4 with padding, decoded strictly. Works in pieces to avoid a second copy of a large blob.
package enum Base64 {
  /// Bytes encoded at a time: whole groups of three, so that only the last piece is padded.
  package static let pieceBytes = 48 * 1024
  private static let pieceLetters = pieceBytes / 3 * 4

  package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Returns nil unless the text equals the output of ``encode(_:)``.
  package static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { letters in
      let size = size(ofDecoded: letters)
      var isWhole = false
      let bytes = [UInt8](unsafeUninitializedCapacity: size) { room, count in
        isWhole = room.baseAddress.map { decode(letters, to: $0) == size } ?? (size == 0 && letters.isEmpty)
        count = isWhole ? size : 0
      }
      return isWhole ? bytes : nil
    }
  }

  static func size(ofDecoded letters: UnsafeBufferPointer<UInt8>) -> Int {
    let padding = letters.suffix(2).count { $0 == UInt8(ascii: "=") }
    return max(0, letters.count / 4 * 3 - padding)
  }

  /// Decodes the letters into `room` and returns the number of bytes; nil if the text is not canonical.
  static func decode(_ letters: UnsafeBufferPointer<UInt8>, to room: UnsafeMutablePointer<UInt8>) -> Int? {
    var count = 0
    for start in stride(from: 0, to: letters.count, by: pieceLetters) {
      let piece = Data(letters[start..<min(start + pieceLetters, letters.count)])
      // Foundation ignores stray bits in the last letter, so a blob would have several encodings.
      guard let bytes = Data(base64Encoded: piece), bytes.base64EncodedData() == piece else { return nil }
      // Nothing may follow the padding.
      guard start + pieceLetters >= letters.count || bytes.count == pieceBytes else { return nil }
      bytes.copyBytes(to: room + count, count: bytes.count)
      count += bytes.count
    }
    return count
  }

  package static func letters(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
    Array(Data(piece).base64EncodedData())
  }
}
