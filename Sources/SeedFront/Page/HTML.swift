import SeedFormat
import SeedSystem

/// A piece of the page. Only literals in the source are markup. Interpolated values are escaped unless they are `HTML`.
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
  private(set) var bytes: [UInt8]

  init(stringLiteral literal: String) { bytes = Array(literal.utf8) }

  init(stringInterpolation parts: StringInterpolation) { bytes = parts.bytes }

  /// Accepts a local file without escaping, because the operator wrote it.
  init(file bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  static let empty: HTML = ""

  static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) { bytes.reserveCapacity(2 * literalCapacity) }

    mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

    mutating func appendInterpolation(_ piece: HTML?) { if let piece { bytes += piece.bytes } }

    mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { bytes += piece.bytes } }

    mutating func appendInterpolation(_ number: Int) { bytes += String(number).utf8 }

    mutating func appendInterpolation(_ text: String) { HTML.append(escaping: text, to: &bytes) }

    /// Adds untrusted text, such as a name or a license, shortened and with isolated writing direction.
    mutating func appendInterpolation(foreign text: String) {
      bytes += "<bdi>".utf8
      HTML.append(escaping: HTML.shortened(text, HTML.foreignScalars), to: &bytes)
      bytes += "</bdi>".utf8
    }
  }

  /// The limit of Unicode scalars in untrusted text.
  static let foreignScalars = 300

  static func shortened(_ text: String, _ most: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }

  private static func append(escaping text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // HTML cannot represent these characters, even escaped.
      case 0..<9, 11..<32, 127: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
  }
}

// Numbers and times, with values for the page's script.
extension HTML {
  /// Formats `12 345`.
  static func number(_ number: Int) -> HTML { "<data value=\"\(number)\">\(grouped(number))</data>" }

  static func number(_ number: Int, _ one: String, _ many: String) -> HTML {
    "\(Self.number(number)) \(number == 1 ? one : many)"
  }

  /// Formats `1.2 MB`.
  static func size(_ bytes: Int) -> HTML { "<data value=\"\(bytes)\">\(sizeText(bytes))</data>" }

  /// Formats UTC. The page's script converts it to local time.
  static func time(_ time: UTCTime) -> HTML {
    "<time datetime=\"\(time.text)\">\(readable(time)) UTC</time>"
  }

  static func readable(_ time: UTCTime) -> String { String(time.text.dropLast()).replacing("T", with: " ") }

  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let parts = digits.indices.map { index in
      index > 0 && (digits.count - index).isMultiple(of: 3) ? "\u{202F}\(digits[index])" : "\(digits[index])"
    }
    return (number < 0 ? "−" : "") + parts.joined()
  }

  static func sizeText(_ bytes: Int) -> String {
    ByteCount(bytes: bytes).description.replacing(" ", with: "\u{A0}")
  }

  /// Formats `350 ms`, `4.2 s` or `3 min`.
  static func durationText(milliseconds: Int) -> String {
    switch milliseconds {
    case ..<1000: "\(milliseconds)\u{A0}ms"
    case ..<60_000: "\(milliseconds / 1000).\(milliseconds / 100 % 10)\u{A0}s"
    default: "\(milliseconds / 60_000)\u{A0}min"
    }
  }

  /// Formats `2 s`, `10 min` or `24 h`.
  static func durationText(seconds: Int) -> String {
    for (size, unit) in [(3600, "h"), (60, "min")] where seconds >= size && seconds.isMultiple(of: size) {
      return "\(seconds / size)\u{A0}\(unit)"
    }
    return "\(seconds)\u{A0}s"
  }
}
