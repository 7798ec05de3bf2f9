import SeedSystem

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

// The only file that needs URLSession: a platform without it can replace this file with its own `SessionOptions`.

/// The app's session settings, and the transport that they produce.
struct SessionOptions: Sendable {
  var configure: @Sendable (URLSessionConfiguration) -> Void = { _ in }
  var prepare: @Sendable (inout URLRequest) -> Void = { _ in }
  var answer: @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer = { _ in .system }

  func transport(userAgent: String) -> any Transport { URLSessionTransport(userAgent: userAgent, self) }
}

extension SeedOptions {
  /// Configures each URLSession of the store before its first request: headers, a proxy, or protocol classes that
  /// replace the server in tests. A store has one session, or up to four on Linux. Caches and cookies stay off.
  public var configureSession: @Sendable (URLSessionConfiguration) -> Void {
    get { session.configure }
    set { session.configure = newValue }
  }

  /// Changes each request before it is sent, for example to add a fresh token to a header or the query. Runs on a
  /// library thread. The changes do not appear in messages or logs.
  ///
  /// If the server rejects the credential, the update fails with ``SeedError/Code/accessDenied``. The response must
  /// still be the publication's file; the library sets the headers Range and Accept-Encoding.
  public var prepareRequest: @Sendable (inout URLRequest) -> Void {
    get { session.prepare }
    set { session.prepare = newValue }
  }

  /// Answers a server's challenges, on a library thread: evaluates its certificate or supplies a credential.
  ///
  /// Called again with a higher `previousFailureCount` if a credential was rejected. On Linux, it is called only for
  /// credentials (status 401 without a body), never for certificates.
  public var answerChallenge: @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer {
    get { session.answer }
    set { session.answer = newValue }
  }

  /// Creates settings. Without `log`, entries go to the system's log.
  public init(
    log: (@Sendable (SeedLogEntry) -> Void)? = nil, rootCheckSeconds: Int = 3600,
    configureSession: @escaping @Sendable (URLSessionConfiguration) -> Void = { _ in },
    prepareRequest: @escaping @Sendable (inout URLRequest) -> Void = { _ in },
    answerChallenge: @escaping @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer = { _ in .system },
    provesRows: Bool = false, reportedKeysPerTable: Int? = nil,
    fileProtection: FileProtection? = .afterFirstUnlock, isExcludedFromBackup: Bool = true
  ) {
    (self.log, self.rootCheckSeconds) = (log ?? SeedLog.toSystem, rootCheckSeconds)
    session = SessionOptions(configure: configureSession, prepare: prepareRequest, answer: answerChallenge)
    (self.provesRows, self.reportedKeysPerTable) = (provesRows, reportedKeysPerTable)
    (self.fileProtection, self.isExcludedFromBackup) = (fileProtection, isExcludedFromBackup)
  }
}

/// An app's answer to a server's authentication challenge; see ``SeedOptions/answerChallenge``.
public enum ChallengeAnswer: Sendable {
  /// The system's default handling.
  case system
  /// Use this credential, which may be made from the server's trust.
  case use(URLCredential)
  /// End the connection and the update, with ``SeedError/Code/serverRefused``.
  case refuse
}

/// The default transport: a URLSession without a cache or cookies.
final class URLSessionTransport: Transport {
  private struct Session: Sendable {
    let exchanges: ExchangeDelegate
    let session: URLSession

    init(_ userAgent: String, _ options: SessionOptions) {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = URLSessionTransport.idleSeconds
      configuration.prepare(userAgent: userAgent, options.configure)
      exchanges = ExchangeDelegate(answering: options.answer)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }
  }

  private let userAgent: String
  private let options: SessionOptions
  private let sessions: Mutex<[Session]>

  private static let idleSeconds: TimeInterval = 60

  init(userAgent: String, _ options: SessionOptions = SessionOptions()) {
    (self.userAgent, self.options) = (userAgent, options)
    sessions = Mutex([Session(userAgent, options)])
  }

  deinit { for session in sessions.withLock({ $0 }) { session.session.invalidateAndCancel() } }

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    try Task.checkCancellation()
    let session = sessions.withLock { $0[0] }
    let task = session.session.dataTask(with: request.urlRequest(options.prepare))
    let isCancelled = Mutex(false)
    let result: Result<Void, any Error> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let exchange = Exchange(request: request, receiver: receiver) { continuation.resume(returning: $0) }
        // If the task was already cancelled, it may have completed, and nothing would end the exchange.
        let begins = isCancelled.withLock { isCancelled in
          if !isCancelled { session.exchanges.begin(exchange, of: task.taskIdentifier) }
          return !isCancelled
        }
        if begins { task.resume() } else { continuation.resume(returning: .success(())) }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
      task.cancel()
    }
    #if !canImport(Darwin)
    if Task.isCancelled { changeSession(from: session.session) }
    #endif
    try Task.checkCancellation()
    try result.get()
  }
}

#if !canImport(Darwin)
extension URLSessionTransport {
  /// The number of sessions, which are reused in turn and never ended: other requests may still use them, and ending
  /// a session in a running process can crash (swift-corelibs-foundation #5203).
  private static let mostSessions = 4

  /// Lets the next request use another session. Foundation on Linux can stop receiving a session's events
  /// (swift-corelibs-libdispatch #833): its requests then receive nothing until they are cancelled.
  private func changeSession(from used: URLSession) {
    sessions.withLock {
      guard $0[0].session === used else { return }
      let next = $0.count < Self.mostSessions ? Session(userAgent, options) : $0.removeLast()
      $0.insert(next, at: 0)
    }
  }

  /// The session that the next request uses.
  var sessionIdentity: ObjectIdentifier { sessions.withLock { ObjectIdentifier($0[0].session) } }
}
#endif

extension URLSessionConfiguration {
  /// Applies the app's changes, then the settings that it must not override.
  fileprivate func prepare(userAgent: String, _ change: @Sendable (URLSessionConfiguration) -> Void) {
    httpAdditionalHeaders = ["User-Agent": userAgent]
    change(self)
    requestCachePolicy = .reloadIgnoringLocalCacheData
    urlCache = nil
    httpShouldSetCookies = false
    httpCookieStorage = nil
  }
}

#if canImport(Darwin)
private typealias RedirectHandler = @Sendable (URLRequest?) -> Void
#else
private typealias RedirectHandler = (URLRequest?) -> Void
#endif

private final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
  private let exchanges = Mutex<[Int: Exchange]>([:])
  private let answer: @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer

  init(answering answer: @escaping @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer) {
    self.answer = answer
  }

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

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let answer = answer(challenge)
    let isMet = exchanges.withLock { $0[task.taskIdentifier]?.meet(challenge, by: answer) ?? true }
    let (disposition, credential) = answer.forSession
    completionHandler(isMet ? disposition : .cancelAuthenticationChallenge, credential)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let found = exchanges.withLock { $0[dataTask.taskIdentifier] }
    guard var exchange = found, exchange.failure == nil else { return }
    do {
      // Foundation on Linux ignores a response's disposition, so the head is checked with the first bytes.
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
  /// Whether the response was received, although the request was then cancelled.
  var isAnswered = false

  private static let mostRedirects = 5

  /// True if a redirect may be followed: same scheme, host and port, and not too many.
  mutating func follows(from origin: URL?, to destination: URL?) -> Bool {
    redirects += 1
    guard let destination, let origin, redirects <= Self.mostRedirects else { return false }
    return Self.server(of: destination) == Self.server(of: origin)
  }

  /// Scheme, host and port, in lower case and with the scheme's default port if there is none.
  private static func server(of url: URL) -> [String?] {
    let scheme = url.scheme?.lowercased()
    return [scheme, url.host?.lowercased(), "\(url.port ?? (scheme == "https" ? 443 : 80))"]
  }

  /// False if the answer to the challenge ends the request.
  mutating func meet(_ challenge: URLAuthenticationChallenge, by answer: ChallengeAnswer) -> Bool {
    switch answer {
    case .use: return true
    case .refuse: failure = TransportError.refused(url: url)
    case .system:
      #if canImport(Darwin)
      return true
      #else
      // Without a proposed credential, Foundation on Linux would wait forever: the response ends the request.
      guard challenge.proposedCredential == nil else { return true }
      do {
        try receive(challenge.failureResponse)
        isAnswered = true
      } catch { failure = error }
      #endif
    }
    return false
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
    if let error, !isAnswered { return .failure(TransportError(error, url: url)) }
    return Result { try receive(response) }
  }

  private var url: String { request.text }
}

extension TransportError {
  fileprivate init(_ error: any Error, url: String) {
    #if canImport(Darwin)
    let reason = (error as? URLError)?.networkUnavailableReason
    if reason == .expensive || reason == .constrained {
      self = .waiting(url: url)
      return
    }
    #endif
    self = .unreachable(url: url, reason: error.localizedDescription)
  }
}

extension ChallengeAnswer {
  fileprivate var forSession: (URLSession.AuthChallengeDisposition, URLCredential?) {
    switch self {
    case .system: (.performDefaultHandling, nil)
    case .use(let credential): (.useCredential, credential)
    case .refuse: (.cancelAuthenticationChallenge, nil)
    }
  }
}

extension TransportRequest {
  /// The request with the app's changes, which messages and the log omit because they may contain secrets.
  fileprivate func urlRequest(_ prepare: (inout URLRequest) -> Void) -> URLRequest {
    var request = URLRequest(url: url)
    prepare(&request)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    #if canImport(Darwin)
    // Foundation on Linux does not distinguish kinds of networks.
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
