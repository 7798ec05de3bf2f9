/// Turns the bytes of an encoding that has one for each letter into UTF-8, piece by piece; UTF-8 stays as it is.
struct TextDecoder {
  /// Whether the bytes are what they were.
  let isPlain: Bool
  /// Bytes of the document that have come.
  private(set) var bytesTaken = 0
  /// By a byte, its letter in UTF-8.
  private let letters: [[UInt8]]

  init(_ encoding: CSVFormat.Encoding) {
    isPlain = encoding == .utf8
    letters = isPlain ? [] : (0...255).map { Self.letter($0, isWindows: encoding == .windows1252) }
  }

  /// How many bytes of the document the letter has that begins with this byte of UTF-8; 0 within one.
  func width(_ byte: UInt8) -> Int { isPlain || byte & 0xC0 != 0x80 ? 1 : 0 }

  /// Takes the next piece and returns what it became; `nil` where it is UTF-8 already.
  mutating func take(_ piece: UnsafeRawBufferPointer) -> [UInt8]? {
    bytesTaken += piece.count
    guard !isPlain else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(piece.count)
    for byte in piece { if byte < 0x80 { text.append(byte) } else { text += letters[Int(byte)] } }
    return text
  }

  private static func letter(_ byte: Int, isWindows: Bool) -> [UInt8] {
    let code = isWindows && (0x80..<0xA0).contains(byte) ? windows[byte - 0x80] : UInt16(byte)
    guard code != 0 || byte == 0, let scalar = Unicode.Scalar(code) else { return [noText] }
    return Array(String(scalar).utf8)
  }

  /// A byte that UTF-8 never has, in place of what is no text.
  private static let noText: UInt8 = 0xFF

  /// The characters of the bytes 80 to 9F, 0 for those without any. The Encoding Standard has controls for these, but
  /// in a table they are damage.
  private static let windows: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
    0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]
}
