package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport of apps: URLSession, one request at a time per call, nothing cached, no cookies.
package final class URLSessionTransport: Transport {
  private let session: URLSession
  private let exchanges: ExchangeDelegate

  /// Seconds without a byte after which a request has failed.
  private static let idleSeconds: TimeInterval = 60

  /// A transport that calls itself `userAgent`.
  package init(userAgent: String) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    configuration.timeoutIntervalForRequest = Self.idleSeconds
    // Bytes must mean bytes: with a content coding, lengths and digests would speak of others than those sent.
    configuration.httpAdditionalHeaders = ["Accept-Encoding": "identity", "User-Agent": userAgent]
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    exchanges = ExchangeDelegate()
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
  }

  deinit { session.invalidateAndCancel() }

  /// Gets a resource; see ``Transport``.
  package func get(_ url: URL, limit: Int, _ sink: @escaping ByteSink) async throws -> Bool {
    try Task.checkCancellation()
    let task = session.dataTask(with: URLRequest(url: url))
    let result: Result<Bool, any Error> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let exchange = Exchange(url: url, limit: limit, sink: sink) { continuation.resume(returning: $0) }
        exchanges.begin(exchange, of: task.taskIdentifier)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    try Task.checkCancellation()
    return try result.get()
  }
}

/// One request and what became of it.
private struct Exchange: Sendable {
  let url: URL
  let limit: Int
  let sink: ByteSink
  let end: @Sendable (Result<Bool, any Error>) -> Void
  var received = 0
  var failure: (any Error)?
}

/// Hears of all requests of a session, on its one delegate queue.
private final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
  private let exchanges = Mutex<[Int: Exchange]>([:])

  func begin(_ exchange: Exchange, of task: Int) {
    exchanges.withLock { $0[task] = exchange }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let isSameServer = request.url.map { $0.isOnServer(of: response.url) } ?? false
    completionHandler(isSameServer ? request : nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    // Foundation on Linux ignores a response's disposition, so the body of an error arrives here as well.
    guard dataTask.status == HTTPStatus.ok else { return dataTask.cancel() }
    guard let exchange = advance(dataTask, by: data.count), exchange.failure == nil else { return }
    do {
      guard exchange.received <= exchange.limit else {
        throw TransportError.tooLong(url: exchange.url.absoluteString, limit: exchange.limit)
      }
      try exchange.sink([UInt8](data))
    } catch {
      exchanges.withLock { $0[dataTask.taskIdentifier]?.failure = error }
      dataTask.cancel()
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let exchange else { return }
    exchange.end(Result { try Self.outcome(exchange, task.status, error) })
  }

  private func advance(_ task: URLSessionTask, by count: Int) -> Exchange? {
    exchanges.withLock { exchanges in
      exchanges[task.taskIdentifier]?.received += count
      return exchanges[task.taskIdentifier]
    }
  }

  private static func outcome(_ exchange: Exchange, _ status: Int?, _ error: (any Error)?) throws -> Bool {
    let url = exchange.url.absoluteString
    if let failure = exchange.failure { throw failure }
    if let status, HTTPStatus.absent.contains(status) { return false }
    if let status, status != HTTPStatus.ok { throw TransportError.status(url: url, status) }
    if let error { throw TransportError.unreachable(url: url, reason: error.localizedDescription) }
    guard status != nil else { throw TransportError.unreachable(url: url, reason: "it did not speak HTTP") }
    return true
  }
}

private enum HTTPStatus {
  static let ok = 200
  /// Object stores answer 403 for a name that they do not have.
  static let absent: Set<Int> = [403, 404, 410]
}

extension URLSessionTask {
  fileprivate var status: Int? { (response as? HTTPURLResponse)?.statusCode }
}

extension URL {
  /// Whether scheme, host and port are the same: a redirect must not lead anywhere else.
  fileprivate func isOnServer(of other: URL?) -> Bool {
    scheme == other?.scheme && host == other?.host && port == other?.port
  }
}
