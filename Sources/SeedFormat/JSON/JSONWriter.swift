/// Appends JSON to a byte buffer: compact, in the given order, with only the escapes that RFC 8259 requires.
package enum JSONWriter {
  /// Appends a quoted string. Escapes quotation mark, backslash, and U+0000 to U+001F.
  package static func append(_ text: String, to buffer: inout [UInt8]) {
    buffer.append(UInt8(ascii: "\""))
    append(escaping: text.utf8, to: &buffer)
    buffer.append(UInt8(ascii: "\""))
  }

  /// Appends a string's content without the quotation marks.
  static func append(escaping bytes: some Sequence<UInt8>, to buffer: inout [UInt8]) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0x08: buffer.append(contentsOf: "\\b".utf8)
      case 0x09: buffer.append(contentsOf: "\\t".utf8)
      case 0x0A: buffer.append(contentsOf: "\\n".utf8)
      case 0x0C: buffer.append(contentsOf: "\\f".utf8)
      case 0x0D: buffer.append(contentsOf: "\\r".utf8)
      case 0..<0x20: buffer.append(contentsOf: "\\u00\(lowerHex([byte]))".utf8)
      default: buffer.append(byte)
      }
    }
  }

  /// Appends a double, always with a fraction or exponent, in the fewest digits that round-trip.
  package static func append(_ real: Double, to buffer: inout [UInt8]) {
    precondition(real.isFinite, "JSON has no infinities and no NaN")
    buffer.append(contentsOf: real.description.utf8)
  }

  package static func append(_ value: JSONValue, to buffer: inout [UInt8]) {
    switch value {
    case .null: buffer.append(contentsOf: "null".utf8)
    case .bool(let value): buffer.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): buffer.append(contentsOf: String(value).utf8)
    case .real(let value): append(value, to: &buffer)
    case .string(let text): append(text, to: &buffer)
    case .array(let elements): list(elements, "[", "]", &buffer) { append($0, to: &$1) }
    case .object(let members):
      list(members, "{", "}", &buffer) { member, buffer in
        append(member.name, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        append(member.value, to: &buffer)
      }
    }
  }

  package static func list<Element, Failure: Error>(
    _ elements: [Element], _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ buffer: inout [UInt8],
    _ each: (Element, inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    buffer.append(UInt8(ascii: open))
    for (index, element) in elements.enumerated() {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      try each(element, &buffer)
    }
    buffer.append(UInt8(ascii: close))
  }
}

extension JSONValue {
  package var bytes: [UInt8] {
    var buffer: [UInt8] = []
    JSONWriter.append(self, to: &buffer)
    return buffer
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// For people to read: indented by two spaces, with one line for each member and for each array of plain values.
  package var prettyText: String { pretty(indent: "") + "\n" }

  private func pretty(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.map { JSONValue.string($0.name).text + ": " + $0.value.pretty(indent: inner) }
      return Self.block("{", lines, "}", indent)
    case .array(let elements) where elements.contains(where: \.isContainer):
      return Self.block("[", elements.map { $0.pretty(indent: inner) }, "]", indent)
    case .array(let elements): return "[" + elements.map(\.text).joined(separator: ", ") + "]"
    default: return text
    }
  }

  private var isContainer: Bool { members != nil || elements != nil }

  private static func block(_ open: String, _ lines: [String], _ close: String, _ indent: String) -> String {
    let body = lines.map { "\n\(indent)  \($0)" }.joined(separator: ",")
    return "\(open)\(body)\n\(indent)\(close)"
  }
}
