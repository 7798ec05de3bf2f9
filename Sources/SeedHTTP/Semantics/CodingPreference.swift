/// What a client says of content codings (RFC 9110, 12.5.3), as far as there is a choice: gzip or none.
struct CodingPreference {
  // Weights in thousandths; nil where nothing was said.
  private var gzip: Int?
  private var identity: Int?
  private var others: Int?

  /// Whether gzip is wanted. Who says nothing gets none: it may not know the coding.
  var prefersGzip: Bool {
    let gzip = gzip ?? others ?? 0
    return gzip > 0 && gzip >= identity ?? 0
  }

  /// Reads one `Accept-Encoding` field.
  mutating func add(_ value: LentText) {
    for element in value.split(separator: UInt8(ascii: ",")) { add(element) }
  }

  private mutating func add(_ element: Slice<LentText>) {
    let parts = element.split(separator: UInt8(ascii: ";"), maxSplits: 1)
    guard let coding = parts.first.map(trimmed) else { return }
    let weight = parts.count > 1 ? Self.weight(trimmed(parts[1])) : 1000
    if coding.isName("gzip") || coding.isName("x-gzip") {
      gzip = weight
    } else if coding.isName("identity") {
      identity = weight
    } else if coding.isName("*") {
      others = weight
    }
  }

  /// `q=0.5`; what is none counts as 0, so that gzip is sent only to who surely wants it.
  private static func weight(_ parameter: LentText) -> Int {
    guard parameter.hasNamePrefix("q="), parameter.count <= "q=0.000".utf8.count else { return 0 }
    let digits = parameter.dropFirst(2)
    guard let whole = digits.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1") else { return 0 }
    let isWhole = whole == UInt8(ascii: "1")
    guard digits.count > 1 else { return isWhole ? 1000 : 0 }
    let fraction = digits.dropFirst(2)
    guard digits.dropFirst().first == UInt8(ascii: "."), fraction.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return 0
    }
    let thousandths = fraction.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    return isWhole ? 1000 : [0, 100, 10, 1][fraction.count] * thousandths
  }

  private func trimmed(_ text: Slice<LentText>) -> LentText {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    var rest = text.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return LentText(rebasing: rest)
  }
}

extension HTTPRequest {
  /// Whether an answer may, and should, be coded with gzip.
  package var prefersGzip: Bool {
    var preference = CodingPreference()
    for var value in headers.values(of: "Accept-Encoding") { value.withUTF8 { preference.add($0) } }
    return preference.prefersGzip
  }
}
