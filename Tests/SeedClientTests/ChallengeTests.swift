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

/// Authentication challenges, over a real connection.
@Suite struct ChallengeTests {
  /// Requires basic authentication and returns the received credentials.
  private func serveMembers() throws -> HTTPServer {
    try HTTPServer(configuration: HTTPServerConfiguration()) { request in
      guard let given = request.headers["Authorization"] else {
        return HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"seeds\""])
      }
      return HTTPResponse(status: 200, body: .bytes(Array(given.utf8)))
    }
  }

  private func get(from server: HTTPServer, answering answer: ChallengeAnswer) async throws -> (Int, String) {
    let (status, bytes) = (Shared(0), Shared<[UInt8]>([]))
    let transport = URLSessionTransport(userAgent: "test", SessionOptions(answer: { _ in answer }))
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/a"))
    try await transport.send(
      TransportRequest(url: url),
      to: ResponseReceiver { head in
        status.withLock { $0 = head.status }
      } body: { piece in
        bytes.withLock { $0 += piece }
      })
    return (status.withLock { $0 }, bytes.withLock { String(decoding: $0, as: UTF8.self) })
  }

  @Test func `credentials from the app are sent`() async throws {
    let credential = URLCredential(user: "reader", password: "open", persistence: .none)
    let (status, given) = try await get(from: serveMembers(), answering: .use(credential))
    #expect(status == 200 && given == "Basic \(Data("reader:open".utf8).base64EncodedString())")
  }

  @Test func `without credentials from the app the server's error is reported`() async throws {
    #expect(try await get(from: serveMembers(), answering: .system).0 == 401)
  }

  @Test func `a server rejected by the app ends the update with its own error`() async throws {
    let (server, publisher) = (try serveMembers(), try ClientPublisherSimulator())
    let folder = try TemporaryFolder(inMemory: true)
    let asked = Shared<[String]>([])
    var options = SeedOptions()
    options.answerChallenge = { challenge in
      asked.withLock { $0.append(challenge.protectionSpace.realm ?? "") }
      return .refuse
    }
    let store = try SeedStore(
      SeedModel(dataset: "transit", version: "2.1", schema: publisher.schema.hash),
      server: try #require(URL(string: "http://127.0.0.1:\(server.port)")), root: Data(publisher.root),
      directory: URL(fileURLWithPath: folder("store")), options: options)
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .serverRefused && error?.isRetryable == true)
    // The app is asked only once per update.
    #expect(asked.withLock { $0 } == ["seeds"])
  }
}
