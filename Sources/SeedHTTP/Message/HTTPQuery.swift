package enum HTTPQueryError: Error, Hashable, Sendable, CustomStringConvertible {
  case missingName
  /// A `%` without two hexadecimal digits, in the parameter with that raw name.
  case badPercentEncoding(parameter: String)
  case invalidUTF8(parameter: String)
  case nul(parameter: String)
  case duplicate(parameter: String)

  package var parameter: String? {
    switch self {
    case .missingName: nil
    case .badPercentEncoding(let name), .invalidUTF8(let name), .nul(let name), .duplicate(let name): name
    }
  }

  package var description: String {
    switch self {
    case .missingName: "The query has a parameter without a name."
    case .badPercentEncoding(let name): "The parameter \"\(name)\" has a % without two hexadecimal digits."
    case .invalidUTF8(let name): "The parameter \"\(name)\" is not UTF-8."
    case .nul(let name): "The parameter \"\(name)\" contains a NUL character."
    case .duplicate(let name): "The parameter \"\(name)\" is given more than once."
    }
  }
}

extension HTTPRequest {
  /// The decoded parameters by name; `flag` alone has the value "". Unlike in form encoding, `+` is a plus sign.
  package var queryItems: [String: String] {
    get throws(HTTPQueryError) {
      var items: [String: String] = [:]
      guard let query, !query.isEmpty else { return items }
      for piece in query.split(separator: "&", omittingEmptySubsequences: false) {
        let (name, value) = try item(piece)
        guard items.updateValue(value, forKey: name) == nil else { throw .duplicate(parameter: name) }
      }
      return items
    }
  }

  private func item(_ piece: Substring) throws(HTTPQueryError) -> (name: String, value: String) {
    let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let rawName = String(parts[0])
    let name = try decoded(parts[0], of: rawName)
    guard !name.isEmpty else { throw .missingName }
    return (name, parts.count > 1 ? try decoded(parts[1], of: rawName) : "")
  }

  private func decoded(_ text: Substring, of parameter: String) throws(HTTPQueryError) -> String {
    guard let bytes = percentDecoded(text.utf8) else { throw .badPercentEncoding(parameter: parameter) }
    guard !bytes.contains(0) else { throw .nul(parameter: parameter) }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw .invalidUTF8(parameter: parameter)
    }
    return string
  }
}

func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
  var decoded: [UInt8] = []
  var bytes = text.makeIterator()
  while let byte = bytes.next() {
    guard byte == UInt8(ascii: "%") else {
      decoded.append(byte)
      continue
    }
    guard let high = bytes.next()?.hexDigitValue, let low = bytes.next()?.hexDigitValue else { return nil }
    decoded.append(high << 4 | low)
  }
  return decoded
}

extension UInt8 {
  fileprivate var hexDigitValue: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map(UInt8.init) }
}
