/// What the guard has to know of a request's header fields, gathered as they are read, without a copy of any.
struct FieldScan {
  /// The first field that no request may have.
  private(set) var fault: Refusal?
  /// The fields of `Host`.
  private(set) var hostCount = 0
  /// Whether a condition or a range was asked for: then the answer depends on more than its target.
  private(set) var hasConditions = false
  /// The client's name for itself, lent as long as the head is.
  private(set) var agent: LentText?
  /// Which coding of an answer the client would have.
  private(set) var coding = CodingPreference()
  /// Whether the client waits for a word before it goes on.
  private(set) var expects = false
  private var fieldCount = 0
  private var hasLength = false

  /// Header fields in one request.
  static let fieldLimit = 64

  /// Looks at the next field.
  mutating func add(name: LentText, value: LentText) {
    fieldCount += 1
    if fault == nil { fault = faultOfAny(name, value) }
    // By length first: most fields are none of these.
    switch name.count {
    case 4 where name.isName("host"): addHost(value)
    case 5 where name.isName("range"): hasConditions = true
    case 6 where name.isName("expect"): expects = true
    case 10 where name.isName("user-agent"): agent = value
    case 14 where name.isName("content-length"): addLength(value)
    case 15 where name.isName("accept-encoding"): coding.add(value)
    case 17 where name.isName("transfer-encoding"): refuse("Transfer-Encoding is not accepted")
    case 8... where name.hasNamePrefix("if-"): hasConditions = true
    default: break
    }
  }

  private func faultOfAny(_ name: LentText, _ value: LentText) -> Refusal? {
    if fieldCount > Self.fieldLimit { return .malformed("more than \(Self.fieldLimit) header fields") }
    guard !name.isEmpty, ByteSet.token.containsAll(of: name) else {
      return .malformed("a header field's name is not a token")
    }
    return ByteSet.fieldValue.containsAll(of: value)
      ? nil : .malformed("a header field's value holds a control character")
  }

  private mutating func addHost(_ value: LentText) {
    hostCount += 1
    if hostCount > 1 { return refuse("a request must have exactly one Host") }
    // Empty is what a client sends that knows no name of ours (RFC 9112, 3.2).
    guard ByteSet.host.containsAll(of: value) else {
      return refuse("the Host is not a name or an address with an optional port")
    }
  }

  // RFC 9112, 6.3: what decides where the request ends. Nothing here takes a body, so it ends with its head.
  private mutating func addLength(_ value: LentText) {
    if hasLength || !value.isExactly("0") { refuse("a request must have no body") }
    hasLength = true
  }

  private mutating func refuse(_ detail: String) { fault = fault ?? .malformed(detail) }
}
