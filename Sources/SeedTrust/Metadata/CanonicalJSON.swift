package import SeedFormat

/// OLPC's canonical JSON, the bytes that TUF signs: members sorted by code point, no white space, whole numbers only,
/// and no escapes but `\"` and `\\`. Control characters are not escaped, so it is not always JSON.
package enum CanonicalJSON {
  /// Throws for a number with a fraction, which the form does not support.
  package static func bytes(of value: JSONValue) throws(MalformedJSON) -> [UInt8] {
    var buffer: [UInt8] = []
    try append(value, at: "document", to: &buffer)
    return buffer
  }

  private static func append(
    _ value: JSONValue, at path: String, to buffer: inout [UInt8]
  ) throws(MalformedJSON) {
    switch value {
    case .null, .bool, .integer: JSONWriter.append(value, to: &buffer)
    case .real: throw .field(path: path, reason: "a number with a fraction has no canonical form")
    case .string(let text): append(text, to: &buffer)
    case .array(let elements):
      try JSONWriter.list(Array(elements.enumerated()), "[", "]", &buffer) {
        element, buffer throws(MalformedJSON) in
        try append(element.element, at: "\(path)[\(element.offset)]", to: &buffer)
      }
    case .object(let members):
      try JSONWriter.list(members.sorted(by: isBefore), "{", "}", &buffer) {
        member, buffer throws(MalformedJSON) in
        append(member.name, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        try append(member.value, at: "\(path).\(member.name)", to: &buffer)
      }
    }
  }

  private static func append(_ text: String, to buffer: inout [UInt8]) {
    buffer.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { buffer.append(UInt8(ascii: "\\")) }
      buffer.append(byte)
    }
    buffer.append(UInt8(ascii: "\""))
  }

  /// UTF-8 sorts by code point; `String` compares by canonical equivalence.
  private static func isBefore(_ left: JSONMember, _ right: JSONMember) -> Bool {
    left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}
