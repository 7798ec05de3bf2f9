import struct Foundation.Data

/// RFC 4648 §4 with padding; the decoder accepts only what the encoder writes. Both go piece by piece: of a large blob
/// no second copy lies in memory as text.
package enum Base64 {
  /// Bytes that are encoded at a time; whole groups of three, so that only the last piece is padded.
  package static let pieceBytes = 48 * 1024
  /// Letters that such a piece has.
  private static let pieceLetters = pieceBytes / 3 * 4

  package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// `nil` where the text is not what ``encode(_:)`` would have written.
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

  /// The bytes that a text of this length and padding spells.
  static func size(ofDecoded letters: UnsafeBufferPointer<UInt8>) -> Int {
    let padding = letters.suffix(2).count { $0 == UInt8(ascii: "=") }
    return max(0, letters.count / 4 * 3 - padding)
  }

  /// Writes what the letters spell and returns how many bytes; `nil` where they are not what is written for these.
  static func decode(_ letters: UnsafeBufferPointer<UInt8>, to room: UnsafeMutablePointer<UInt8>) -> Int? {
    var count = 0
    for start in stride(from: 0, to: letters.count, by: pieceLetters) {
      let piece = Data(letters[start..<min(start + pieceLetters, letters.count)])
      // Foundation passes over set bits behind the last byte, with which one blob would have several texts.
      guard let bytes = Data(base64Encoded: piece), bytes.base64EncodedData() == piece else { return nil }
      // Padding ends a text: behind it nothing may come.
      guard start + pieceLetters >= letters.count || bytes.count == pieceBytes else { return nil }
      bytes.copyBytes(to: room + count, count: bytes.count)
      count += bytes.count
    }
    return count
  }

  /// The text of a piece of at most ``pieceBytes``.
  package static func letters(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
    Array(Data(piece).base64EncodedData())
  }
}
