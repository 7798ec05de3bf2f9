import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedHTTP
import Support
import Synchronization
import Testing

/// URLSession against a real server.
@Suite struct TransportTests {
  private final class Collected: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let agents = Mutex<Set<String>>([])
  }

  private func get(
    _ path: String, limit: Int = 1 << 30, from server: HTTPServer
  ) async throws -> (found: Bool, bytes: [UInt8]) {
    let collected = Collected()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
    let transport = URLSessionTransport(userAgent: "Seedbank/0.1.0 (transit; 2.1)")
    let found = try await transport.get(url, limit: limit) { piece in collected.bytes.withLock { $0 += piece }
    }
    return (found, collected.bytes.withLock { $0 })
  }

  private static let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

  private func serve(_ handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse) throws -> HTTPServer {
    try HTTPServer(configuration: HTTPServerConfiguration(), handler: handler)
  }

  @Test func `bytes arrive as they were sent`() async throws {
    let server = try serve { _ in HTTPResponse(status: 200, body: .bytes(Self.large)) }
    let (found, bytes) = try await get("/a", limit: Self.large.count, from: server)
    #expect(found && bytes == Self.large)
  }

  /// Answers ranges out of a file, as any static host does.
  private func serveRanges(of path: String) throws -> HTTPServer {
    let file = try OpenFile(path: path)
    return try serve { request in
      let range = (request.headers["Range"] ?? "").split(whereSeparator: { "=-".contains($0) }).compactMap {
        Int64($0)
      }
      guard range.count == 2 else { return HTTPResponse(status: 200, body: .file(file)) }
      let end = min(range[1] + 1, file.length)
      return HTTPResponse(
        status: 206, headers: ["Content-Range": "bytes \(range[0])-\(end - 1)/\(file.length)"],
        body: .file(file, offset: range[0], length: end - range[0]))
    }
  }

  @Test func `a large file comes in parts that fit together`() async throws {
    let folder = try TemporaryFolder()
    let content = Data((0..<7).flatMap { _ in Self.large })
    try content.write(to: URL(fileURLWithPath: folder("large")))
    let server = try serveRanges(of: folder("large"))
    let (found, bytes) = try await get("/", limit: content.count, from: server)
    #expect(found && Data(bytes) == content)
    await #expect(throws: TransportError.self) {
      _ = try await get("/", limit: content.count - 1, from: server)
    }
  }

  @Test func `another part than the one asked for is refused`() async throws {
    let server = try serve { _ in
      HTTPResponse(status: 206, headers: ["Content-Range": "bytes 5-9/10"], body: .bytes([1, 2, 3, 4, 5]))
    }
    await #expect(throws: TransportError.self) { _ = try await get("/", from: server) }
    await #expect(throws: TransportError.self) { _ = try await get("/", limit: 10, from: server) }
  }

  @Test func `the request names the client and asks for plain bytes`() async throws {
    let server = try serve { request in
      let text =
        "\(request.headers["User-Agent"] ?? "") \(request.headers["Accept-Encoding"] ?? "") \(request.path)"
      return HTTPResponse(status: 200, body: .bytes(Array(text.utf8)))
    }
    let (_, bytes) = try await get("/p/metadata/1.root.json", from: server)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "Seedbank/0.1.0 (transit; 2.1) identity /p/metadata/1.root.json")
  }

  @Test func `more bytes than the limit are not handed on`() async throws {
    let server = try serve { _ in HTTPResponse(status: 200, body: .bytes(Self.large)) }
    await #expect(throws: TransportError.self) { _ = try await get("/a", limit: 100_000, from: server) }
  }

  @Test func `an absent file is no error, another status is one`() async throws {
    let server = try serve { request in
      HTTPResponse(status: request.path == "/gone" ? 404 : 503, body: .bytes(Array("no".utf8)))
    }
    let (found, bytes) = try await get("/gone", from: server)
    #expect(!found && bytes.isEmpty)
    let url = "http://127.0.0.1:\(server.port)/busy"
    await #expect(throws: TransportError.status(url: url, 503)) { _ = try await get("/busy", from: server) }
  }

  @Test func `a redirect is followed on the same server and nowhere else`() async throws {
    let other = try serve { _ in HTTPResponse(status: 200, body: .bytes([7])) }
    let server = try serve { request in
      switch request.path {
      case "/here": HTTPResponse(status: 307, headers: ["Location": "/there"])
      case "/away": HTTPResponse(status: 307, headers: ["Location": "http://127.0.0.1:\(other.port)/"])
      default: HTTPResponse(status: 200, body: .bytes([1, 2]))
      }
    }
    #expect(try await get("/here", from: server).bytes == [1, 2])
    await #expect(throws: TransportError.self) { _ = try await get("/away", from: server) }
  }

  @Test func `a server that is not there cannot be reached`() async throws {
    let server = try serve { _ in HTTPResponse(status: 200) }
    server.stop()
    await #expect(throws: TransportError.self) { _ = try await get("/", from: server) }
  }

  @Test func `a sink's error ends the request and comes out`() async throws {
    let server = try serve { _ in HTTPResponse(status: 200, body: .bytes(Self.large)) }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let transport = URLSessionTransport(userAgent: "test")
    await #expect(throws: POSIXError.self) {
      _ = try await transport.get(url, limit: .max) { _ in throw POSIXError(.ENOSPC) }
    }
  }

  @Test func `a whole store works over it, below a path`() async throws {
    let publisher = try ClientPublisherSimulator()
    try publisher.publish(["a": "Alexanderplatz"])
    let server = try serve { request in
      let name = String(request.path.dropFirst("/seeds/".count))
      let bytes = publisher.withServed { $0.files[name] }
      return bytes.map { HTTPResponse(status: 200, body: .bytes($0)) } ?? HTTPResponse(status: 404)
    }
    let folder = try TemporaryFolder()
    let store = try SeedStore(
      SeedModel(dataset: "transit", model: "2.1", schema: publisher.schema.hash),
      server: try #require(URL(string: "http://127.0.0.1:\(server.port)/seeds/")), root: publisher.root,
      directory: folder("store"),
      surroundings: Surroundings(
        transport: URLSessionTransport(userAgent: "test"), now: { [now = publisher.now] in now }))
    #expect(try await store.stops() == ["Alexanderplatz"])
    try publisher.publish(["a": "Alex"])
    #expect(try await store.update().action == .applied)
    #expect(try await store.stops() == ["Alex"])
  }
}
