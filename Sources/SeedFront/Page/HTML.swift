import SeedFormat
import SeedPublication
import SeedSystem

/// A piece of the page. Only literals in the source are markup. Interpolated values are escaped unless they are `HTML`.
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
  private(set) var bytes: [UInt8]

  init(stringLiteral literal: String) { bytes = Array(literal.utf8) }

  init(stringInterpolation parts: StringInterpolation) { bytes = parts.bytes }

  /// Takes the bytes of a local file without escaping them, because the operator wrote the file.
  init(file bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  static let empty: HTML = ""

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
      HTML.append(escaping: HTML.shortened(text), to: &bytes)
      bytes += "</bdi>".utf8
    }

    /// Adds a string in which apostrophes enclose commands.
    mutating func appendInterpolation(commands text: String) {
      for (place, part) in text.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
        if place > 0 { bytes += (place % 2 == 0 ? "</code>" : "<code>").utf8 }
        HTML.append(escaping: String(part), to: &bytes)
      }
    }
  }

  static let foreignScalars = 300

  private static func shortened(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(foreignScalars)
    return start.endIndex == text.endIndex ? text : String(start) + "…"
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
  static func number(_ number: Int) -> HTML { "<data value=\"\(number)\">\(grouped(number))</data>" }

  static func number(_ number: Int, _ one: String, _ many: String) -> HTML {
    "\(Self.number(number)) \(number == 1 ? one : many)"
  }

  static func size(_ bytes: Int) -> HTML { "<data value=\"\(bytes)\">\(sizeText(bytes))</data>" }

  /// Formats UTC. The page's script converts it to local time.
  static func time(_ time: UTCTime) -> HTML { "<time datetime=\"\(time.text)\">\(readable(time)) UTC</time>" }

  static func readable(_ time: UTCTime) -> String { String(time.text.dropLast()).replacing("T", with: " ") }

  static func grouped(_ number: Int) -> String {
    number.grouped.replacing(",", with: "\u{202F}").replacing("-", with: "−")
  }

  static func sizeText(_ bytes: Int) -> String { unbroken("\(ByteCount(bytes: bytes))") }

  static func durationText(milliseconds: Int) -> String {
    unbroken(TimeSpan.taken(milliseconds: milliseconds))
  }

  static func durationText(seconds: Int) -> String { unbroken(TimeSpan(seconds: seconds).exactly) }

  private static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

  /// A table in its own scroll area, so that the page does not scroll sideways. `id` must be unique on the page.
  static func table(_ id: String, _ caption: HTML, _ heads: [HTML], _ rows: [HTML]) -> HTML {
    """
    <div class="scroll" tabindex="0" role="group" aria-labelledby="\(id):caption">
    <table id="\(id)"><caption id="\(id):caption">\(caption)</caption>
    <thead><tr>\(heads)</tr></thead>
    <tbody>
    \(rows)</tbody></table></div>

    """
  }

  static func head(_ text: String) -> HTML { "<th scope=\"col\">\(text)</th>" }

  static func numberHead(_ text: String) -> HTML { "<th scope=\"col\" class=\"number\">\(text)</th>" }

  /// `id` identifies the row even after other rows are inserted before it.
  static func row(_ id: String? = nil, named name: HTML, _ cells: [HTML]) -> HTML {
    "<tr\(id.map { " id=\"\($0)\"" as HTML })><th scope=\"row\">\(name)</th>\(cells)</tr>\n"
  }

  static func cell(_ content: HTML?) -> HTML { "<td>\(content)</td>" }

  static func numberCell(_ content: HTML?) -> HTML { "<td class=\"number\">\(content)</td>" }

  /// Returns a link to a document with the items that the page omits.
  static func more(_ count: Int, _ noun: String, at path: String) -> HTML? {
    guard count > 0 else { return nil }
    let number: HTML = .number(count, "more \(noun)", "more \(noun)s")
    return "<p class=\"quiet\">\(number): <a href=\"\(path)\">all of them</a>.</p>"
  }

  /// A state as a word with a colour and shape.
  static func state(_ kind: String, _ word: String) -> HTML { "<span class=\"state \(kind)\">\(word)</span>" }
}
