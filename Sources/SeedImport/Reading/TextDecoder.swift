/// Turns a document's bytes into UTF-8, piece by piece. Half a pair of UTF-16 becomes three bytes that are not UTF-8,
/// so that its row is refused and not the document.
struct TextDecoder {
  private enum Form {
    /// UTF-8, if no byte order mark says that it is UTF-16.
    case unknown(CSVFormat.Encoding)
    case utf8
    case bytes(isWindows: Bool)
    case pairs(isBig: Bool)
  }

  private var form: Form
  private var held: [UInt8] = []
  private var high: UInt16?
  private var isAtStart = true
  /// Bytes of the document that have come.
  private(set) var bytesTaken = 0
  /// Bytes of a byte order mark that was passed over.
  private(set) var markBytes = 0
  /// Whether the document ended with half of a unit of UTF-16.
  private(set) var endsWithinUnit = false

  init(_ encoding: CSVFormat.Encoding) {
    form =
      switch encoding {
      case .utf8, .utf16: .unknown(encoding)
      case .latin1: .bytes(isWindows: false)
      case .windows1252: .bytes(isWindows: true)
      case .utf16LittleEndian: .pairs(isBig: false)
      case .utf16BigEndian: .pairs(isBig: true)
      }
  }

  /// Whether the bytes are what they were.
  var isPlain: Bool {
    switch form {
    case .unknown, .utf8: true
    case .bytes, .pairs: false
    }
  }

  /// How many bytes of the document the character has that begins with this byte of UTF-8; 0 within one.
  func width(_ byte: UInt8) -> Int {
    switch form {
    case .unknown, .utf8: 1
    case .bytes: byte & 0xC0 == 0x80 ? 0 : 1
    case .pairs: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 4 : 2
    }
  }

  /// Takes the next piece and returns what it became; `nil` where it is UTF-8 already.
  mutating func take(_ piece: UnsafeRawBufferPointer) -> [UInt8]? {
    bytesTaken += piece.count
    var text: [UInt8] = []
    switch form {
    case .unknown(let encoding): return begin(encoding, piece)
    case .utf8: return nil
    case .bytes(let isWindows): for byte in piece { Self.append(byte, isWindows, to: &text) }
    case .pairs: take(pairs: piece, &text)
    }
    return text
  }

  /// Ends the document; returns what waited for more of it.
  mutating func end() -> [UInt8] {
    var text: [UInt8] = []
    if case .unknown = form { text = held }
    appendHalf(&text)
    // A single byte is no UTF-16.
    if case .pairs = form, !held.isEmpty {
      text.append(Self.noText)
      endsWithinUnit = true
    }
    held = []
    return text
  }

  // MARK: Byte order marks

  private mutating func begin(
    _ encoding: CSVFormat.Encoding, _ piece: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    let start = held + piece
    held = start
    guard start.count >= 2 else { return [] }
    held = []
    bytesTaken -= start.count
    switch (start[0], start[1]) {
    case (0xFF, 0xFE): form = .pairs(isBig: false)
    case (0xFE, 0xFF): form = .pairs(isBig: true)
    default: form = encoding == .utf16 ? .pairs(isBig: false) : .utf8
    }
    return start.withUnsafeBytes { take($0) } ?? start
  }

  // MARK: Units

  private static func append(_ byte: UInt8, _ isWindows: Bool, to text: inout [UInt8]) {
    guard byte >= 0x80 else { return text.append(byte) }
    guard isWindows, byte < 0xA0 else { return append(UInt32(byte), to: &text) }
    let letter = windows[Int(byte) - 0x80]
    if letter == 0 { text.append(noText) } else { append(UInt32(letter), to: &text) }
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

  private mutating func take(pairs piece: UnsafeRawBufferPointer, _ text: inout [UInt8]) {
    var bytes = held
    bytes += piece
    held = bytes.count.isMultiple(of: 2) ? [] : [bytes.removeLast()]
    let isBig = if case .pairs(true) = form { true } else { false }
    for index in stride(from: 0, to: bytes.count, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      take(isBig ? first << 8 | second : second << 8 | first, &text)
    }
  }

  private mutating func take(_ unit: UInt16, _ text: inout [UInt8]) {
    if let high, 0xDC00...0xDFFF ~= unit {
      self.high = nil
      return Self.append(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00), to: &text)
    }
    appendHalf(&text)
    defer { isAtStart = false }
    if 0xD800...0xDBFF ~= unit {
      high = unit
    } else if unit == 0xFEFF, isAtStart {
      markBytes = 2
    } else {
      Self.append(UInt32(unit), to: &text)
    }
  }

  private mutating func appendHalf(_ text: inout [UInt8]) {
    if let high { Self.append(UInt32(high), to: &text) }
    high = nil
  }

  /// As UTF-8, also half of a pair.
  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    func rest(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift) & 0x3F) }
    switch scalar {
    case ..<0x80: text.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800: text += [UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6), rest(0)]
    case ..<0x10000: text += [UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12), rest(6), rest(0)]
    default: text += [UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18), rest(12), rest(6), rest(0)]
    }
  }
}
