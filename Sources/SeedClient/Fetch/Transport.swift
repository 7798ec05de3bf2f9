package import struct Foundation.URL

/// Takes bytes as they arrive, on any thread but one after another.
package typealias ByteSink = @Sendable (_ bytes: [UInt8]) throws -> Void

/// The way to a server, and the seam that tests replace.
package protocol Transport: Sendable {
  /// Gets a resource and hands on its bytes; false where the server has none of that name.
  ///
  /// It stops with ``TransportError/tooLong(url:limit:)`` before it hands on more than `limit` bytes, and
  /// with the sink's error as soon as the sink throws one.
  func get(_ url: URL, limit: Int, _ sink: @escaping ByteSink) async throws -> Bool
}

/// Why a resource did not arrive.
package enum TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  case unreachable(url: String, reason: String)
  case status(url: String, Int)
  case tooLong(url: String, limit: Int)
  case absent(url: String)

  package var description: String {
    switch self {
    case .unreachable(let url, let reason): "cannot get \(url): \(reason)"
    case .status(let url, let status): "the server answered \(url) with status \(status)"
    case .tooLong(let url, let limit):
      "the server sends more for \(url) than the \(limit) bytes that it may have"
    case .absent(let url): "the server does not have \(url), which its metadata promises"
    }
  }
}
