/// A strict RFC 8259 reader that yields one token at a time.
///
/// The grammar is enforced as the tokens come: a caller that reached ``JSONToken/end`` has seen a valid
/// document. Refused beyond the grammar: duplicate member names, a byte order mark, invalid UTF-8, lone
/// surrogates, integers beyond 64 bits, reals beyond the double's range, nesting below ``Limits/jsonDepth``.
package struct JSONScanner {
  /// What the grammar allows next.
  private enum Expectation {
    case value, valueOrArrayEnd, nameOrObjectEnd, name, commaOrEnd, nothing
  }

  fileprivate enum Level {
    case array
    case object(names: Set<String>)
  }

  private var reader: JSONBytes
  private var levels: [Level] = []
  private var expectation = Expectation.value

  /// A scanner at the start of `bytes`.
  package init(_ bytes: [UInt8]) { reader = JSONBytes(bytes) }

  /// Where the next token is looked for.
  package var offset: Int { reader.offset }

  /// The next token; ``JSONToken/end`` once the document is complete, and from then on.
  package mutating func next() throws(JSONError) -> JSONToken {
    reader.skipWhitespace()
    switch expectation {
    case .nothing: return try end()
    case .commaOrEnd: return try afterValue()
    case .name: return try name()
    case .nameOrObjectEnd: return reader.consume(UInt8(ascii: "}")) ? close(.endObject) : try name()
    case .valueOrArrayEnd: return reader.consume(UInt8(ascii: "]")) ? close(.endArray) : try value()
    case .value: return try value()
    }
  }

  private func end() throws(JSONError) -> JSONToken {
    guard reader.isAtEnd else { throw reader.error("expected the end of the document") }
    return .end
  }

  private mutating func afterValue() throws(JSONError) -> JSONToken {
    guard let level = levels.last else { return try end() }
    let isComma = reader.consume(UInt8(ascii: ","))
    if isComma { reader.skipWhitespace() }
    switch level {
    case .object where isComma: return try name()
    case .array where isComma: return try value()
    case .object where reader.consume(UInt8(ascii: "}")): return close(.endObject)
    case .array where reader.consume(UInt8(ascii: "]")): return close(.endArray)
    default: throw reader.error("expected a comma or the end of the \(level.noun)")
    }
  }

  private mutating func name() throws(JSONError) -> JSONToken {
    let start = reader.offset
    guard reader.consume(UInt8(ascii: "\"")) else { throw reader.error("expected a member name") }
    let name = try reader.stringBody()
    try remember(name, at: start)
    reader.skipWhitespace()
    guard reader.consume(UInt8(ascii: ":")) else { throw reader.error("expected a colon") }
    expectation = .value
    return .name(name)
  }

  private mutating func remember(_ name: String, at start: Int) throws(JSONError) {
    guard case .object(var names) = levels.removeLast() else { return }
    guard names.insert(name).inserted else {
      throw JSONError(at: start, "duplicate member name \"\(name)\"")
    }
    levels.append(.object(names: names))
  }

  private mutating func value() throws(JSONError) -> JSONToken {
    let start = reader.offset
    guard let byte = reader.peek() else { throw reader.error("expected a value, found the end") }
    switch byte {
    case UInt8(ascii: "{"): return try open(.object(names: []), .beginObject, .nameOrObjectEnd)
    case UInt8(ascii: "["): return try open(.array, .beginArray, .valueOrArrayEnd)
    case UInt8(ascii: "\""):
      _ = reader.consume(byte)
      return scalar(.string(try reader.stringBody()))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return scalar(try reader.number())
    case UInt8(ascii: "t") where reader.consume("true"): return scalar(.bool(true))
    case UInt8(ascii: "f") where reader.consume("false"): return scalar(.bool(false))
    case UInt8(ascii: "n") where reader.consume("null"): return scalar(.null)
    default: throw JSONError(at: start, "expected a value")
    }
  }

  private mutating func open(
    _ level: Level, _ token: JSONToken, _ next: Expectation
  ) throws(JSONError) -> JSONToken {
    guard levels.count < Limits.jsonDepth else {
      throw reader.error("nesting deeper than \(Limits.jsonDepth)")
    }
    reader.advance()
    levels.append(level)
    expectation = next
    return token
  }

  private mutating func close(_ token: JSONToken) -> JSONToken {
    levels.removeLast()
    return scalar(token)
  }

  private mutating func scalar(_ token: JSONToken) -> JSONToken {
    expectation = levels.isEmpty ? .nothing : .commaOrEnd
    return token
  }
}

extension JSONScanner.Level {
  fileprivate var noun: String {
    switch self {
    case .array: "array"
    case .object: "object"
    }
  }
}

/// One token of a JSON document.
package enum JSONToken: Hashable, Sendable {
  case beginObject, endObject, beginArray, endArray
  case name(String)
  case string(String)
  case integer(Int64)
  case real(Double)
  case bool(Bool)
  case null
  /// The document is complete.
  case end
}
