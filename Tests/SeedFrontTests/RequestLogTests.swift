import Foundation
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import Support
import Testing

@testable import SeedFront

@Suite struct RequestLogTests {
  final class Told: Sendable {
    private let state = Mutex<[LogRecord]>([])

    var records: [LogRecord] { state.withLock { $0 } }

    func add(_ record: LogRecord) { state.withLock { $0.append(record) } }
  }

  private func exchange(_ requests: RequestLog, expected: Int) throws -> [LogRecord] {
    let publication = try FrontPublication.usual.get()
    let told = Told()
    var configuration = FrontConfiguration(publication: publication.directory.path, report: told.add)
    configuration.requests = requests
    let front = try Front(configuration)
    for target in [
      "/metadata/2.root.json", "/v1", "/v1", "/nothing?a=b", "/v1/transit/changes?model=2.1&since=1", "/..",
    ] {
      let head = "GET \(target) HTTP/1.1\r\nHost: a\r\nUser-Agent: A \"B\"\r\nConnection: close\r\n\r\n"
      let answer = String(decoding: try SeedFrontTests.exchange(head, port: front.port), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 "))
    }
    try waitUntil("\(expected) requests are told of") { told.records.count >= expected }
    front.stop()
    return told.records
  }

  private func field(_ name: String, _ record: LogRecord) -> JSONValue? {
    record.fields.first { $0.name == name }?.value
  }

  @Test func `all requests are logged with unique identifiers, which error responses name`() throws {
    let view = CatalogView(try FrontPublication.usualCatalog.get())
    let response = Router().answer(HTTPRequest(.get, "/nothing", id: 0xAB), in: view)
    #expect(response.headers["Seedbank-Request"] == "00000000000000ab")
    let records = try exchange(.all, expected: 6)
    #expect(records.map { field("status", $0) } == [404, 200, 200, 404, 410, 400])
    #expect(Set(records.compactMap { field("request", $0)?.string }).count == 6)
    #expect(field("target", records[3])?.string == "/nothing?a=b")
    #expect(field("agent", records[0])?.string == "A \"B\"")
    #expect(records.allSatisfy { field("address", $0)?.string == "127.0.0.1" && $0.message == "request" })
  }

  @Test func `only failed requests are logged if so configured, without those for the next root`() throws {
    #expect(try exchange(.errors, expected: 3).map { field("status", $0) } == [404, 410, 400])
    #expect(try exchange(.none, expected: 0).isEmpty)
  }
}
