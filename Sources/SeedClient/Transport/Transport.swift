import SeedFormat

package import struct Foundation.URL

/// Sends one request to a server, without interpreting the response. Tests replace it.
package protocol Transport: Sendable {
  /// Returns when the response is complete. Rethrows the receiver's error as soon as it throws.
  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws
}

package struct TransportRequest: Hashable, Sendable {
  package let url: URL
  /// The bytes to ask for; all if `nil`.
  package var range: Range<Int>?
  var policy = UpdatePolicy()
  /// Whether every publication has this file.
  var isRequired = false
  /// Whether the body may arrive in gzip, which the transport expands.
  var acceptsGzip = false

  var text: String { url.absoluteString }

  package var fields: [String: String] {
    var fields = ["Accept-Encoding": acceptsGzip ? "gzip" : "identity"]
    if let range { fields["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)" }
    return fields
  }
}

/// Receives a response as it arrives, on any thread, but with one call at a time.
package struct ResponseReceiver: Sendable {
  package let head: @Sendable (ResponseHead) throws -> Void
  package let body: @Sendable (_ bytes: [UInt8]) throws -> Void
}

package struct ResponseHead: Hashable, Sendable {
  package let status: Int
  private let fields: [String: String]

  package init(status: Int, fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { $1 }
  }

  package subscript(name: String) -> String? { fields[name.lowercased()] }
}

package enum TransportError: SeedErrorConvertible, Hashable, Sendable, CustomStringConvertible {
  case unreachable(url: String, reason: String)
  case waiting(url: String)
  case refused(url: String)
  /// The server requires a credential or rejected the one that was sent.
  case denied(url: String, Int)
  case status(url: String, Int, retryAfter: Duration? = nil)
  case absent(url: String)
  case tooLong(url: String, limit: Int)
  case otherLength(url: String, signed: Int, found: Int)
  case otherPart(url: String, found: String)
  /// The connection broke too often before the end, and the server does not support ranges.
  case partless(url: String)
  case coded(url: String, coding: String)
  case webPage(url: String)
  case tooSlow(url: String, bytes: Int, in: Duration)
  case tooLate(url: String, after: Duration)

  var seedError: SeedError { SeedError(code, description, retryAfter: retryAfter) }

  private var code: SeedError.Code {
    switch self {
    case .unreachable: .network
    case .waiting: .waitingForNetwork
    case .refused: .serverRefused
    case .denied: .accessDenied
    case .status(_, 429, _), .status(_, 503, _): .serverBusy
    case .status, .otherPart, .partless, .coded, .webPage: .server
    case .absent: .missingFile
    case .tooLong, .otherLength: .damaged
    case .tooSlow, .tooLate: .timedOut
    }
  }

  var retryAfter: Duration? { if case .status(_, _, let wait) = self { wait } else { nil } }

  package var description: String {
    switch self {
    case .unreachable(let url, let reason):
      "cannot get \(url): \(reason.unclosed); check the address and this network, or try again later"
    case .waiting(let url):
      "the update's policy forbids the current network for \(url): wait for another network, or allow this one"
    case .refused(let url):
      "this app rejected the server's certificate at \(url): try another network; if that does not help, the "
        + "app's pinned certificate may be out of date"
    case .denied(let url, let status):
      "the server does not let this app download \(url) (status \(status)): give the app a new token or credential; if that "
        + "does not help, compare the address with the publisher's"
    case .status(let url, let status, _) where (300..<400).contains(status):
      "the server answered \(url) with a redirect (\(status)) that is not followed, because it leads to another server or "
        + "never ends: this network may require you to sign in first; if not, use the redirect's target as the address"
    case .status(let url, let status, let wait):
      "the server answered \(url) with status \(status)" + (wait.map { ": try again in \($0)" } ?? "")
    case .absent(let url):
      "the server does not have \(url), which its metadata lists: try again later; if it is still missing, "
        + "`seedbank verify` on the server lists all missing files"
    case .tooLong(let url, let limit):
      "the server sends more than the expected \(limit) bytes for \(url): \(Self.sendUnchanged)"
    case .otherLength(let url, let signed, let found):
      "the server reports \(found) bytes for \(url), but \(signed) were signed: \(Self.sendUnchanged)"
    case .otherPart(let url, let found):
      "the server sent the wrong part of \(url) (\(found)): the server and proxies must support range requests"
    case .partless(let url):
      "the connection drops before all of \(url) has arrived, and the server restarts the file each time: the "
        + "server must support range requests"
    case .coded(let url, let coding):
      "\(url) was sent with the Content-Encoding \(coding), which was not requested: \(Self.sendUnchanged)"
    case .webPage(let url):
      "a web page arrived instead of \(url): this network may require you to sign in first"
    case .tooSlow(let url, let bytes, let time):
      "only \(bytes) bytes of \(url) arrived in \(time): try again on a better network"
    case .tooLate(let url, let time): "\(url) did not arrive within \(time): try again on a better network"
    }
  }

  private static let sendUnchanged = "configure the server and proxies to send the file unchanged"
}
