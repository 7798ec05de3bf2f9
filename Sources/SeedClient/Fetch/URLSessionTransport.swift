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
    // Bytes must mean bytes: with a content coding, lengths and digests would speak of others than those
    // sent.
    configuration.httpAdditionalHeaders = ["Accept-Encoding": "identity", "User-Agent": userAgent]
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    exchanges = ExchangeDelegate()
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
  }

  deinit { session.invalidateAndCancel() }

  /// Gets a resource; see ``Transport``. Large ones come in parts, where the server can do that.
  package func get(_ url: URL, limit: Int, _ sink: @escaping ByteSink) async throws -> Bool {
    var start = 0
    while true {
      let answer = try await answer(to: Exchange.Question(url: url, start: start, limit: limit), sink)
      switch answer {
      case .absent: return false
      case .whole: return true
      case .part(let end, let total) where end < total: start = end
      case .part: return true
      }
    }
  }

  private func answer(to question: Exchange.Question, _ sink: @escaping ByteSink) async throws
    -> Exchange.Answer
  {
    try Task.checkCancellation()
    let task = session.dataTask(with: question.request)
    let result: Result<Exchange.Answer, any Error> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let exchange = Exchange(question: question, sink: sink) { continuation.resume(returning: $0) }
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
    guard let exchange = advance(dataTask, by: data.count), exchange.failure == nil else { return }
    guard exchange.question.accepts(dataTask.status) else { return dataTask.cancel() }
    do {
      try exchange.checkLimit()
      try exchange.sink([UInt8](data))
    } catch {
      exchanges.withLock { $0[dataTask.taskIdentifier]?.failure = error }
      dataTask.cancel()
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let exchange else { return }
    exchange.end(Result { try exchange.answer(task.response as? HTTPURLResponse, error) })
  }

  private func advance(_ task: URLSessionTask, by count: Int) -> Exchange? {
    exchanges.withLock { exchanges in
      exchanges[task.taskIdentifier]?.received += count
      return exchanges[task.taskIdentifier]
    }
  }
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
