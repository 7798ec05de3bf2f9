import Foundation
import SeedClient
import SeedDatabase
import SeedSystem
import Support
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct SessionTests {
  @Test func `an app can serve requests by its own URLProtocol`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let publisher = try ClientPublisherSimulator(now: .now())
    try publisher.publish(["a": "Alexanderplatz", "b": "Bellevue"])
    PlayedServer.files.withLock { $0 = publisher.withServed(\.files) }
    var options = SeedOptions()
    options.configureSession = { $0.protocolClasses = [PlayedServer.self] }
    let seeds = try SeedStore(
      SeedModel(dataset: "transit", version: "2.1", schema: publisher.schema.hash),
      server: try #require(URL(string: "http://played.example")), root: Data(publisher.root),
      directory: URL(fileURLWithPath: folder("store")), options: options)
    try await seeds.update()
    let names: [String] = try await seeds.rows(
      "SELECT name FROM stop WHERE id IN (\(list: ["a", "b"])) ORDER BY id")
    #expect(names == ["Alexanderplatz", "Bellevue"])
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
