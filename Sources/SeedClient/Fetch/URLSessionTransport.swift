import SeedSystem

#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// The transport of apps: URLSession, nothing cached, no cookies.
package final class URLSessionTransport: Transport {
  private let session: URLSession
  private let exchanges: ExchangeDelegate

  /// Seconds without a byte after which a request has failed.
  private static let idleSeconds: TimeInterval = 60

  /// A transport that calls itself `userAgent`, and of whose session an app changes what it likes.
  package init(userAgent: String, _ change: @Sendable (URLSessionConfiguration) -> Void = { _ in }) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = Self.idleSeconds
    configuration.httpAdditionalHeaders = ["User-Agent": userAgent]
    change(configuration)
    // What follows holds whatever an app has changed.
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    // Bytes must mean bytes: with a content coding, lengths and digests would speak of others than those sent.
    configuration.httpAdditionalHeaders = (configuration.httpAdditionalHeaders ?? [:])
      .merging(["Accept-Encoding": "identity"]) { $1 }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    exchanges = ExchangeDelegate()
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends a request; see ``Transport``.
  package func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    try Task.checkCancellation()
    let task = session.dataTask(with: request.urlRequest)
    let result: Result<Void, any Error> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let exchange = Exchange(request: request, receiver: receiver) { continuation.resume(returning: $0) }
        exchanges.begin(exchange, of: task.taskIdentifier)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    try Task.checkCancellation()
    try result.get()
  }
}

#if canImport(Darwin)
private typealias RedirectHandler = @Sendable (URLRequest?) -> Void
#else
private typealias RedirectHandler = (URLRequest?) -> Void
#endif

private final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
  private let exchanges = Mutex<[Int: Exchange]>([:])

  func begin(_ exchange: Exchange, of task: Int) { exchanges.withLock { $0[task] = exchange } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping RedirectHandler
  ) {
    let follows = exchanges.withLock {
      $0[task.taskIdentifier]?.follows(from: response.url, to: request.url) ?? false
    }
    completionHandler(follows ? request : nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let found = exchanges.withLock { $0[dataTask.taskIdentifier] }
    guard var exchange = found, exchange.failure == nil else { return }
    do {
      // Foundation on Linux ignores a response's disposition, so the head is judged with the first bytes.
      try exchange.receive(dataTask.response)
      try exchange.receiver.body([UInt8](data))
    } catch {
      exchange.failure = error
      dataTask.cancel()
    }
    exchanges.withLock { $0[dataTask.taskIdentifier] = exchange }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let found = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard var exchange = found else { return }
    exchange.end(exchange.outcome(task.response, error))
  }
}

struct Exchange: Sendable {
  let request: TransportRequest
  let receiver: ResponseReceiver
  let end: @Sendable (Result<Void, any Error>) -> Void
  var redirects = 0
  var hasHead = false
  var failure: (any Error)?

  private static let mostRedirects = 5

  /// True where a redirect is to be followed: to the same scheme, host and port alone, and not for ever.
  mutating func follows(from origin: URL?, to destination: URL?) -> Bool {
    redirects += 1
    guard let destination, let origin, redirects <= Self.mostRedirects else { return false }
    return destination.scheme == origin.scheme && destination.host == origin.host
      && destination.port == origin.port
  }

  mutating func receive(_ response: URLResponse?) throws {
    guard !hasHead else { return }
    guard let response = response as? HTTPURLResponse else {
      throw TransportError.unreachable(url: url, reason: "the answer was not HTTP")
    }
    hasHead = true
    try receiver.head(ResponseHead(response))
  }

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
  var text: String { url.absoluteString }

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
