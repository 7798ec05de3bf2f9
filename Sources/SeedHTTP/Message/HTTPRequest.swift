import SeedFormat

/// A request's method. ``RequestGuard`` admits only the three below.
package struct HTTPMethod: Hashable, Sendable {
  /// As in the request line; methods are case-sensitive.
  package let name: String

  package init(_ name: String) { self.name = name }

  package static let get = HTTPMethod("GET")
  package static let head = HTTPMethod("HEAD")
  package static let options = HTTPMethod("OPTIONS")

  /// The value of the `Allow` field.
  package static let allowed = "GET, HEAD, OPTIONS"
}

package struct HTTPRequest: Hashable, Sendable {
  package let method: HTTPMethod
  /// The undecoded path: it starts with `/` and has no `..`, `//` or escaped separator.
  package let path: String
  package let query: String?
  package let headers: HTTPHeaders
  /// The client's address: the connection's peer, or the address forwarded by a trusted proxy.
  let sender: IPAddress?
  /// The request's number in the log and in a problem's headers; 0 outside a server.
  package let id: UInt64

  /// Parses a raw target such as `/v1/transit/changes?since=100`.
  package init(
    _ method: HTTPMethod = .get, _ target: String, headers: HTTPHeaders = [:], sender: IPAddress? = nil,
    id: UInt64 = 0
  ) {
    let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
    path = mark.map { String(target[..<$0]) } ?? target
    query = mark.map { String(target[target.utf8.index(after: $0)...]) }
    (self.method, self.headers, self.sender, self.id) = (method, headers, sender, id)
  }

  /// The client's numeric address; empty outside a server.
  package var remoteAddress: String { sender?.literal ?? "" }

  package var idText: String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The parameters by name; one without `=` has the value "". They are not decoded: the front's names and values
  /// need no escapes, and a cache would store a copy for each spelling of a target.
  package var queryItems: [String: String] {
    get throws(Problem) {
      var items: [String: String] = [:]
      guard let query, !query.isEmpty else { return items }
      for piece in query.split(separator: "&", omittingEmptySubsequences: false) {
        let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
          String.init)
        guard !parts[0].isEmpty else {
          throw Problem(.badRequest, "The query has a parameter without a name.")
        }
        guard items.updateValue(parts.count > 1 ? parts[1] : "", forKey: parts[0]) == nil else {
          throw Problem(
            .badRequest, "The parameter \"\(parts[0])\" is given more than once.",
            [JSONMember("parameter", .string(parts[0]))])
        }
      }
      return items
    }
  }
}

/// Measurements of a finished exchange, which contain no bytes of the request or the response.
package struct HTTPMeasurement: Sendable {
  /// The response's mark; nil if the server responded without the handler.
  package let mark: (any Sendable)?
  /// The response's status; 0 without a response.
  package let status: Int
  /// The announced length of the body in bytes.
  package let bodyBytes: Int64
  /// Bytes of the body that the client received. If interrupted: the acknowledged bytes, or 0 for a small body.
  package var sentBytes: Int64
  /// Whether the body includes the file's end. If a download has several parts, only one of them does.
  package var isLastPart = false
  package let isComplete: Bool
  /// The label of the client's User-Agent, if any.
  package let agent: (any Sendable)?
  /// Nanoseconds from the end of the request's head to the response's last byte.
  package let nanoseconds: UInt64

  package init(
    mark: (any Sendable)?, status: Int, bodyBytes: Int64, isComplete: Bool, agent: (any Sendable)?,
    nanoseconds: UInt64
  ) {
    (self.mark, self.status, self.bodyBytes) = (mark, status, bodyBytes)
    (self.isComplete, self.agent, self.nanoseconds) = (isComplete, agent, nanoseconds)
    sentBytes = isComplete ? bodyBytes : 0
  }
}

/// Ordered header fields with case-insensitive lookup.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  package struct Field: Hashable, Sendable {
    package let name: String
    /// The value without surrounding whitespace.
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  package private(set) var fields: [Field]

  package init(_ fields: [Field] = []) { self.fields = fields }

  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }

  package subscript(name: String) -> String? { fields.first { $0.name.equalsIgnoringCase(name) }?.value }

  package func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  package mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  package mutating func append(contentsOf others: HTTPHeaders) { fields += others.fields }

  package mutating func set(_ name: String, to value: String) {
    remove([name])
    append(name, value)
  }

  package mutating func remove(_ names: [String]) {
    fields.removeAll { field in names.contains { field.name.equalsIgnoringCase($0) } }
  }
}

extension String {
  func equalsIgnoringCase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
  var trimmed: Self {
    var rest = drop(while: \.isBlank)
    while let last = rest.last, last.isBlank { rest.removeLast() }
    return rest
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  var asciiLowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
