import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request of a session's, and what has come of it so far.
struct Exchange: Sendable {
  let request: TransportRequest
  let receiver: ResponseReceiver
  let end: @Sendable (Result<Void, any Error>) -> Void
  var redirects = 0
  var hasHead = false
  var failure: (any Error)?

  /// Redirects that one request follows.
  private static let mostRedirects = 5

  /// Whether a redirect is followed: to the same scheme, host and port alone, and not for ever.
  mutating func follows(from origin: URL?, to destination: URL?) -> Bool {
    redirects += 1
    guard let destination, let origin, redirects <= Self.mostRedirects else { return false }
    return destination.scheme == origin.scheme && destination.host == origin.host
      && destination.port == origin.port
  }

  /// Hands on the head, once.
  mutating func receive(_ response: URLResponse?) throws {
    guard !hasHead else { return }
    guard let response = response as? HTTPURLResponse else {
      throw TransportError.unreachable(url: url, reason: "it did not speak HTTP")
    }
    hasHead = true
    try receiver.head(ResponseHead(response))
  }

  /// What it came to in the end.
  mutating func outcome(_ response: URLResponse?, _ error: (any Error)?) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    if let error { return .failure(failed(error)) }
    return Result { try receive(response) }
  }

  private var url: String { request.text }

  private func failed(_ error: any Error) -> TransportError {
    #if canImport(Darwin)
    let reason = (error as? URLError)?.networkUnavailableReason
    if reason == .expensive || reason == .constrained { return .waiting(url: url) }
    #endif
    return .unreachable(url: url, reason: error.localizedDescription)
  }
}

extension TransportRequest {
  /// The address, for messages.
  var text: String { url.absoluteString }

  /// The request in Foundation's words.
  var urlRequest: URLRequest {
    var request = URLRequest(url: url)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    #if canImport(Darwin)
    // Foundation on Linux knows no kinds of networks.
    request.allowsExpensiveNetworkAccess = policy.allowsExpensive
    request.allowsConstrainedNetworkAccess = policy.allowsConstrained
    #endif
    return request
  }
}

extension ResponseHead {
  fileprivate init(_ response: HTTPURLResponse) {
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { ($0, "\(value)") }
    }
    self.init(status: response.statusCode, fields: Dictionary(fields, uniquingKeysWith: { _, last in last }))
  }
}
