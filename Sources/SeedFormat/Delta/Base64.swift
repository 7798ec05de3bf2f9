import struct Foundation.Data

/// RFC 4648 §4 with padding, decoded strictly. Works in pieces, to avoid a second copy of a large blob.
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

  /// Decodes the letters into `room` and returns the number of bytes; nil for a non-canonical text.
  static func decode(_ letters: UnsafeBufferPointer<UInt8>, to room: UnsafeMutablePointer<UInt8>) -> Int? {
    var count = 0
    for start in stride(from: 0, to: letters.count, by: pieceLetters) {
      let piece = Data(letters[start..<min(start + pieceLetters, letters.count)])
      // Foundation ignores stray bits after the last byte, with which a blob would have several texts.
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
