import Foundation
import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedSystem
import Support
import Testing

@testable import SeedClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// URLSession against a real server, one request at a time.
@Suite struct TransportTests {
  private final class Collected: Sendable {
    let bytes = Shared<[UInt8]>([])
    let heads = Shared<[ResponseHead]>([])

    var receiver: ResponseReceiver {
      ResponseReceiver { [heads] head in
        heads.withLock { $0.append(head) }
      } body: { [bytes] piece in
        bytes.withLock { $0 += piece }
      }
    }
  }

  private func get(
    _ path: String, _ range: Range<Int>? = nil, from server: HTTPServer,
    answering answer: ChallengeAnswer = .system,
    changing change: @escaping @Sendable (URLSessionConfiguration) -> Void = { _ in }
  ) async throws -> (head: ResponseHead, bytes: [UInt8]) {
    let collected = Collected()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
    let transport = URLSessionTransport(
      userAgent: "Seedbank/0.1.0 (transit; 2.1)", SessionOptions(configure: change, answer: { _ in answer }))
    try await transport.send(
      TransportRequest(url: url, range: range), to: collected.receiver)
    let heads = collected.heads.withLock { $0 }
    #expect(heads.count == 1)
    return (try #require(heads.first), collected.bytes.withLock { $0 })
  }

  private static let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

  private func serve(_ handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse) throws -> HTTPServer {
    try HTTPServer(configuration: HTTPServerConfiguration(), handler: handler)
  }

  @Test func `bytes and a response without a body arrive unchanged, and a missing server is unreachable`()
    async throws
  {
    let server = try serve { request in
      request.path == "/a"
        ? HTTPResponse(status: 200, body: .bytes(Self.large))
        : HTTPResponse(status: 503, headers: ["Retry-After": "7"])
    }
    let (head, bytes) = try await get("/a", from: server)
    #expect(head.status == 200 && bytes == Self.large)
    #expect(head["content-length"] == "\(Self.large.count)")
    let (busy, nothing) = try await get("/", from: server)
    #expect(busy.status == 503 && busy["retry-after"] == "7" && nothing.isEmpty)
    server.stop()
    await #expect(throws: TransportError.self) { _ = try await get("/", from: server) }
  }

  @Test func `a request has a user agent and the app's headers, and asks for an unencoded part`() async throws
  {
    let server = try serve { request in
      let names = ["X-App", "User-Agent", "Accept-Encoding", "Range"]
      let text = names.map { request.headers[$0] ?? "" }.joined(separator: "|") + "|" + request.path
      return HTTPResponse(status: 206, body: .bytes(Array(text.utf8)))
    }
    let (head, bytes) = try await get("/p/metadata/1.root.json", 5..<10, from: server)
    #expect(head.status == 206)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "|Seedbank/0.1.0 (transit; 2.1)|identity|bytes=5-9|/p/metadata/1.root.json")
    let (_, changed) = try await get("/", from: server) { configuration in
      configuration.httpAdditionalHeaders?["X-App"] = "timetable"
      configuration.httpAdditionalHeaders?["Accept-Encoding"] = "gzip"
    }
    let text = String(decoding: changed, as: UTF8.self)
    #expect(text.hasPrefix("timetable|") && text.hasSuffix("|identity||/"), "\(text)")
  }

  @Test func `compressed metadata arrives expanded, and is an error above its limit`() async throws {
    let (content, limit) = ([UInt8](repeating: 0x20, count: 10_000_000), 10_000)
    let server = try serve { request in
      let bytes = Array(content.prefix(request.path.hasSuffix("bomb.json") ? .max : limit))
      guard request.prefersGzip, let packed = try? Compression.gzip(bytes) else {
        return HTTPResponse(status: 406)
      }
      return HTTPResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: .bytes(packed))
    }
    let fetcher = Fetcher(
      try ServerAddress(#require(URL(string: "http://127.0.0.1:\(server.port)"))),
      Environment(transport: URLSessionTransport(userAgent: "test")), StoreLayout(directory: "/nowhere"),
      SeedOptions())
    #expect(try await fetcher.metadata("1.root.json", limit: limit) == Array(content.prefix(limit)))
    let error = await #expect(throws: TransportError.self) {
      try await fetcher.metadata("bomb.json", limit: limit)
    }
    guard case .tooLong(_, limit)? = error else { throw NeverHappened(what: "tooLong") }
  }

  @Test func `a request that is cancelled before it starts ends`() async throws {
    let transport = URLSessionTransport(
      userAgent: "Seedbank", SessionOptions(prepare: { _ in withUnsafeCurrentTask { $0?.cancel() } }))
    let request = TransportRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))
    let (count, ended) = (200, Shared(0))
    for _ in 0..<count {
      Task {
        try? await transport.send(request, to: Collected().receiver)
        ended.withLock { $0 += 1 }
      }
    }
    try await until { ended.withLock { $0 } == count }
  }

  #if !canImport(Darwin)
  @Test func `four sessions take turns after requests that were cancelled`() async throws {
    let server = try serve { _ in HTTPResponse(status: 200, body: .bytes([1])) }
    let request = TransportRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
    let cancels = Shared(false)
    let transport = URLSessionTransport(
      userAgent: "Seedbank",
      SessionOptions(prepare: { _ in
        if cancels.withLock({ $0 }) { withUnsafeCurrentTask { $0?.cancel() } }
      }))
    var sessions: [ObjectIdentifier] = []
    for _ in 0..<8 {
      sessions.append(transport.sessionIdentity)
      cancels.withLock { $0 = false }
      let collected = Collected()
      try await transport.send(request, to: collected.receiver)
      #expect(collected.bytes.withLock { $0 } == [1] && transport.sessionIdentity == sessions.last)
      cancels.withLock { $0 = true }
      _ = await Task { try await transport.send(request, to: Collected().receiver) }.result
    }
    #expect(Set(sessions).count == 4 && sessions[..<4] == sessions[4...])
  }
  #endif

  @Test func `a redirect is followed only on the same server`() async throws {
    let other = try serve { _ in HTTPResponse(status: 200, body: .bytes([7])) }
    let server = try serve { request in
      switch request.path {
      case "/here": HTTPResponse(status: 307, headers: ["Location": "/there"])
      case "/loop": HTTPResponse(status: 307, headers: ["Location": "/loop"])
      case "/away": HTTPResponse(status: 307, headers: ["Location": "http://127.0.0.1:\(other.port)/"])
      default: HTTPResponse(status: 200, body: .bytes([1, 2]))
      }
    }
    #expect(try await get("/here", from: server).bytes == [1, 2])
    #expect(try await get("/away", from: server).head.status == 307)
    #expect(try await get("/loop", from: server).head.status == 307)
  }

  @Test(arguments: [true, false])
  func `an error of the receiver ends the request and is rethrown`(isAboutHead: Bool) async throws {
    let server = try serve { _ in HTTPResponse(status: 200, body: .bytes(Self.large)) }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let transport = URLSessionTransport(userAgent: "test")
    let receiver = ResponseReceiver { _ in
      if isAboutHead { throw POSIXError(.ENOSPC) }
    } body: { _ in
      throw POSIXError(.ENOSPC)
    }
    await #expect(throws: POSIXError.self) {
      try await transport.send(TransportRequest(url: url), to: receiver)
    }
  }

  @Test func `a store works over the real transport below a path`() async throws {
    let publisher = try ClientPublisherSimulator()
    try publisher.publish(["a": "Alexanderplatz"])
    let server = try serve { request in
      let name = String(request.path.dropFirst("/seeds/".count))
      let bytes = publisher.withServed { $0.files[name] }
      return bytes.map { HTTPResponse(status: 200, body: .bytes($0)) } ?? HTTPResponse(status: 404)
    }
    let folder = try TemporaryFolder(inMemory: true)
    let store = try SeedStore(
      SeedModel(dataset: "transit", version: "2.1", schema: publisher.schema.hash),
      server: try #require(URL(string: "http://127.0.0.1:\(server.port)/seeds/")), root: publisher.root,
      directory: folder("store"),
      environment: Environment(
        transport: URLSessionTransport(userAgent: "test"), now: { [now = publisher.now] in now }))
    #expect(try await store.stops() == ["Alexanderplatz"])
    try publisher.publish(["a": "Alex"])
    #expect(try await store.update().action == .applied)
    #expect(try await store.stops() == ["Alex"])
  }

  // MARK: Challenges

  /// Requires basic authentication and returns the received credentials.
  private func serveMembers() throws -> HTTPServer {
    try serve { request in
      guard let given = request.headers["Authorization"] else {
        return HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"seeds\""])
      }
      return HTTPResponse(status: 200, body: .bytes(Array(given.utf8)))
    }
  }

  @Test func `credentials from the app are sent, and without them the server's error is reported`()
    async throws
  {
    let credential = URLCredential(user: "reader", password: "open", persistence: .none)
    let server = try serveMembers()
    #expect(try await get("/a", from: server).head.status == 401)
    let (head, given) = try await get("/a", from: server, answering: .use(credential))
    #expect(head.status == 200)
    #expect(given == Array("Basic \(Data("reader:open".utf8).base64EncodedString())".utf8))
  }

  @Test func `a server rejected by the app ends the update with its own error`() async throws {
    let (server, publisher) = (try serveMembers(), try ClientPublisherSimulator())
    let asked = Shared<[String]>([])
    var options = SeedOptions()
    options.answerChallenge = { challenge in
      asked.withLock { $0.append(challenge.protectionSpace.realm ?? "") }
      return .refuse
    }
    let folder = try TemporaryFolder(inMemory: true)
    let store = try self.store("http://127.0.0.1:\(server.port)", publisher, folder, options)
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .serverRefused && error?.isRetryable == true)
    // The app is asked only once per update.
    #expect(asked.withLock { $0 } == ["seeds"])
  }

  @Test func `an app can serve requests by its own URLProtocol`() async throws {
    let publisher = try ClientPublisherSimulator(now: .now())
    try publisher.publish(["a": "Alexanderplatz", "b": "Bellevue"])
    PlayedServer.files.withLock { $0 = publisher.withServed(\.files) }
    var options = SeedOptions()
    options.configureSession = { $0.protocolClasses = [PlayedServer.self] }
    let folder = try TemporaryFolder(inMemory: true)
    let store = try store("http://played.example", publisher, folder, options)
    try await store.update()
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
  }

  /// An app's store, by the public interface.
  private func store(
    _ server: String, _ publisher: ClientPublisherSimulator, _ folder: TemporaryFolder, _ options: SeedOptions
  ) throws -> SeedStore {
    try SeedStore(
      SeedModel(dataset: "transit", version: "2.1", schema: publisher.schema.hash),
      server: #require(URL(string: server)), root: Data(publisher.root),
      directory: URL(fileURLWithPath: folder("store")), options: options)
  }
}

private final class PlayedServer: URLProtocol {
  static let files = Mutex<[String: [UInt8]]>([:])

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url else { return }
    let file = Self.files.withLock { $0[String(url.path.dropFirst())] }
    let response = HTTPURLResponse(
      url: url, statusCode: file == nil ? 404 : 200, httpVersion: "HTTP/1.1", headerFields: [:])
    if let response { client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
    if let file { client?.urlProtocol(self, didLoad: Data(file)) }
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
