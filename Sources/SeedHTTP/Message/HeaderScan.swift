import SeedFormat

/// Collects the header fields that matter before a handler is called, in one pass without copies.
struct HeaderScan {
  private(set) var problem: Problem?
  private(set) var hostCount = 0
  /// Whether a field is a condition or a range, so that the response depends on more than the target.
  private(set) var hasConditions = false
  /// The value of `If-None-Match` if it is the only condition, valid as long as the head.
  private(set) var onlyTag: HeadText?
  /// The value of `User-Agent`, valid as long as the head.
  private(set) var agent: HeadText?
  private(set) var coding = CodingPreference()
  /// Whether the head has an `Expect`, so that the client waits for an interim response.
  private(set) var expects = false
  private(set) var fieldCount = 0
  private var hasLength = false

  mutating func add(name: HeadText, value: HeadText) {
    fieldCount += 1
    checkSyntax(name, value)
    // The length is compared first, because most fields have none of these names.
    switch name.count {
    case 4 where name.isName("host"): addHost(value)
    case 5 where name.isName("range"): addCondition()
    case 6 where name.isName("expect"): expects = true
    case 10 where name.isName("user-agent"): agent = value
    case 13 where name.isName("if-none-match"): addCondition(value)
    case 14 where name.isName("content-length"): addLength(value)
    case 15 where name.isName("accept-encoding"): coding.add(value)
    case 17 where name.isName("transfer-encoding"): refuse("Transfer-Encoding is not supported.")
    case 8... where name.hasNamePrefix("if-"): addCondition()
    default: break
    }
  }

  private mutating func addCondition(_ tag: HeadText? = nil) {
    onlyTag = hasConditions ? nil : tag
    hasConditions = true
  }

  private mutating func checkSyntax(_ name: HeadText, _ value: HeadText) {
    if name.isEmpty || !ByteSet.token.containsAll(of: name) {
      refuse("A header field's name is not a token.")
    } else if !ByteSet.fieldValue.containsAll(of: value) {
      refuse("A header field's value contains a control character.")
    }
  }

  private mutating func addHost(_ value: HeadText) {
    hostCount += 1
    if hostCount > 1 { return refuse(Self.oneHost) }
    // If the target's URI has no host, a client sends an empty Host (RFC 9112, 3.2).
    if !ByteSet.host.containsAll(of: value) {
      refuse("The Host is not a name or an address with an optional port.")
    }
  }

  static let oneHost = "A request must have exactly one Host."

  // RFC 9112, 6.3: a request without a body ends with its head.
  private mutating func addLength(_ value: HeadText) {
    if hasLength || !value.isExactly("0") { refuse("A request must have no body.") }
    hasLength = true
  }

  private mutating func refuse(_ detail: String) { problem = problem ?? Problem(.badRequest, detail) }
}

/// Whether a client accepts gzip (RFC 9110, 12.5.3). Only weights of 0 matter.
struct CodingPreference {
  private var gzip: Bool?
  private var others: Bool?

  /// False without a preference: the client may not support gzip.
  var prefersGzip: Bool { gzip ?? others ?? false }

  mutating func add(_ value: HeadText) {
    // Avoids `split`, because a cached response must not allocate.
    var rest = value[...]
    while !rest.isEmpty {
      let element = rest.prefix { $0 != UInt8(ascii: ",") }
      add(element)
      rest = rest[element.endIndex...].dropFirst()
    }
  }

  private mutating func add(_ element: Slice<HeadText>) {
    let name = element.prefix { $0 != UInt8(ascii: ";") }
    let coding = HeadText(rebasing: name.trimmed)
    let parameter = element[name.endIndex...].dropFirst()
    let accepts = parameter.isEmpty || Self.isPositive(HeadText(rebasing: parameter.trimmed))
    if coding.isName("gzip") || coding.isName("x-gzip") {
      gzip = accepts
    } else if coding.isName("*") {
      others = accepts
    }
  }

  /// Whether the parameter is a positive weight, such as `q=0.5`. Anything else counts as 0, so that gzip is sent
  /// only to a client that certainly accepts it.
  private static func isPositive(_ parameter: HeadText) -> Bool {
    guard parameter.hasNamePrefix("q="), parameter.count <= "q=0.000".utf8.count else { return false }
    let digits = parameter.dropFirst(2)
    return digits.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
      && digits.contains { 0x31...0x39 ~= $0 }
  }
}

extension HTTPRequest {
  package var prefersGzip: Bool {
    var preference = CodingPreference()
    for var value in headers.values(of: "Accept-Encoding") { value.withUTF8 { preference.add($0) } }
    return preference.prefersGzip
  }
}

/// Bytes of a request's head in libmicrohttpd's memory, valid during one call.
typealias HeadText = UnsafeBufferPointer<UInt8>

extension HeadText {
  /// Compares with a lower-case ASCII text, ignoring case.
  func isName(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasNamePrefix(text) }

  func hasNamePrefix(_ text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && (0..<text.utf8CodeUnitCount).allSatisfy { self[$0].asciiLowercased == text.utf8Start[$0] }
  }

  func isExactly(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && (0..<count).allSatisfy { self[$0] == text.utf8Start[$0] }
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}

struct ByteSet: Sendable {
  // One bit per byte: an array would cost a reference and a bounds check for every byte of every request.
  private var words = SIMD4<UInt64>()

  private init(_ includes: (UInt8) -> Bool) {
    for byte in 0...UInt8.max where includes(byte) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
  }

  private init(lettersDigitsAnd others: String) {
    self.init { byte in
      0x30...0x39 ~= byte || 0x61...0x7A ~= byte.asciiLowercased || others.utf8.contains(byte)
    }
  }

  func containsAll(of text: HeadText) -> Bool {
    let words = words
    return text.allSatisfy { byte in words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }
  }

  func containsAll(of text: String) -> Bool {
    var text = text
    return text.withUTF8(containsAll)
  }

  /// RFC 9110, 5.6.2: `tchar`.
  static let token = ByteSet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")
  /// RFC 9110, 5.5, `field-vchar` with space and tab: no control characters except tab.
  static let fieldValue = ByteSet { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  /// The characters of a name or an address with its port. RFC 3986, 3.2.2, allows others, but no name in use has
  /// them, and a comma is likely to mean that a proxy joined two hosts.
  static let host = ByteSet(lettersDigitsAnd: ".:[]-_~")
  static let path = ByteSet(lettersDigitsAnd: "/_.~%-")
  /// Visible ASCII without `#`, because fragments are never sent.
  static let query = ByteSet { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
  static let escapable = ByteSet { $0 >= 0x20 && $0 != 0x7F && !"./\\".utf8.contains($0) }
}
