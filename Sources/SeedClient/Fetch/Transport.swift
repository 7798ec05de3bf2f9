package import struct Foundation.URL

/// The way to a server, and the seam that tests replace: one request and its answer, nothing more.
package protocol Transport: Sendable {
  /// Sends a request and hands on what comes back.
  ///
  /// It ends when the answer is complete, and with the receiver's error as soon as the receiver throws one.
  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws
}

/// A GET request.
package struct TransportRequest: Hashable, Sendable {
  package let url: URL
  /// The bytes of the resource that are asked for; the whole where there are none.
  package var range: Range<Int>?
  /// The strong validator that the resource must still have for the range to be sent.
  package var validator: String?
  /// Whether it may go over networks that cost money, or that a user asked to be spared (Apple platforms).
  package var policy: UpdatePolicy

  package init(_ url: URL, range: Range<Int>? = nil, validator: String? = nil, policy: UpdatePolicy = .init())
  {
    self.url = url
    self.range = range
    self.validator = validator
    self.policy = policy
  }

  /// What the request says beyond its address, by name.
  package var fields: [String: String] {
    guard let range else { return [:] }
    var fields = ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"]
    if let validator { fields["If-Range"] = validator }
    return fields
  }
}

/// Takes an answer as it arrives, on any thread but one piece after another.
package struct ResponseReceiver: Sendable {
  /// Is told of the answer's head, once and first.
  package let head: @Sendable (ResponseHead) throws -> Void
  /// Takes the next bytes of the body.
  package let body: @Sendable (_ bytes: [UInt8]) throws -> Void

  package init(
    head: @escaping @Sendable (ResponseHead) throws -> Void,
    body: @escaping @Sendable (_ bytes: [UInt8]) throws -> Void
  ) {
    self.head = head
    self.body = body
  }
}

/// The status and the fields of an answer.
package struct ResponseHead: Hashable, Sendable {
  package let status: Int
  private let fields: [String: String]

  /// A head; of fields that differ in case alone one is kept.
  package init(status: Int, fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(
      fields.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { _, last in last })
  }

  /// A field's value, whatever the case of its name.
  package subscript(name: String) -> String? { fields[name.lowercased()] }
}
