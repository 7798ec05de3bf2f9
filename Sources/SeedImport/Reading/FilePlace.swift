/// A byte's place in a document.
struct FilePlace {
  var offset = 0
  var line = 1
  private var last: UInt8 = 0

  mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
    var (ends, returns) = (0, 0)
    for byte in bytes {
      ends &+= byte == 0x0A ? 1 : 0
      returns &+= byte == 0x0D ? 1 : 0
    }
    line += ends + returns - (returns == 0 && last != 0x0D ? 0 : Self.pairs(bytes, behind: last))
    offset += bytes.count
    last = bytes.last ?? last
  }

  /// Counts line feeds that follow a carriage return.
  private static func pairs(_ bytes: UnsafeBufferPointer<UInt8>, behind last: UInt8) -> Int {
    var (pairs, before) = (0, last)
    for byte in bytes {
      pairs &+= byte == 0x0A && before == 0x0D ? 1 : 0
      before = byte
    }
    return pairs
  }
}

struct RowPlace {
  var document = ""
  /// From 1; 0 for the whole import.
  var row = 0
  var offset = 0
  var line: Int?
  var list = 0
  var name: String?
}

/// Converts a single-byte encoding to UTF-8, piece by piece; UTF-8 passes unchanged.
struct TextDecoder {
  private let isPlain: Bool
  /// Each byte's character in UTF-8.
  private let letters: [[UInt8]]

  init(_ encoding: CSVFormat.Encoding) {
    isPlain = encoding == .utf8
    letters = isPlain ? [] : (0...255).map { Self.letter($0, isWindows: encoding == .windows1252) }
  }

  /// Converts the next piece; returns `nil` if it is already UTF-8.
  func take(_ piece: UnsafeRawBufferPointer) -> [UInt8]? {
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

  /// A byte that is invalid in UTF-8, in place of undefined characters.
  private static let noText: UInt8 = 0xFF

  /// The characters of bytes 80 to 9F; 0 if undefined. The Encoding Standard maps those to control characters, but in a
  /// table these indicate damage.
  private static let windows: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
    0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]
}
