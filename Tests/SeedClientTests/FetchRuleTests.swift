import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Rules for responses and retries, without I/O.
@Suite struct FetchRuleTests {
  private static let now = UTCTime(secondsSinceEpoch: 1_785_585_600)

  // MARK: Replies

  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let range: Range<Int>?
    let status: Int
    let fields: [String: String]
    /// A reply, or the name of the error's case.
    let expected: String

    init(
      _ name: String, of range: Range<Int>? = nil, _ status: Int, with fields: [String: String] = [:],
      _ expected: String
    ) {
      (testDescription, self.range, self.status, self.fields, self.expected) = (
        name, range, status, fields, expected
      )
    }
  }

  static let answers: [Answer] = [
    Answer("the whole", 200, "bytes(Range(0..<100))"),
    Answer("the whole, of the signed length", 200, with: ["Content-Length": "100"], "bytes(Range(0..<100))"),
    Answer("the whole, of another length", 200, with: ["content-length": "99"], "otherLength"),
    Answer("the whole in the place of a part", of: 50..<100, 200, "bytes(Range(0..<100))"),
    Answer(
      "the part", of: 50..<100, 206, with: ["Content-Range": "bytes 50-99/100"], "bytes(Range(50..<100))"),
    Answer(
      "a shorter part", of: 50..<100, 206, with: ["Content-Range": "bytes 50-59/100"], "bytes(Range(50..<60))"
    ),
    Answer("a longer part", of: 50..<60, 206, with: ["Content-Range": "bytes 50-99/100"], "otherPart"),
    Answer(
      "a part that begins elsewhere", of: 50..<100, 206, with: ["Content-Range": "bytes 49-99/100"],
      "otherPart"),
    Answer(
      "a part of nobody knows what", of: 50..<100, 206, with: ["Content-Range": "bytes 50-99/*"], "otherPart"),
    Answer("a part without words", of: 50..<100, 206, "otherPart"),
    Answer(
      "a part of a longer file", of: 50..<100, 206, with: ["Content-Range": "bytes 50-99/101"], "otherLength"),
    Answer("a part that nobody asked for", 206, with: ["Content-Range": "bytes 0-99/100"], "status"),
    Answer("no such part", of: 50..<100, 416, "restart"),
    Answer("not even a first part", of: 0..<100, 416, "status"),
    Answer("coded", 200, with: ["Content-Encoding": "br"], "coded"),
    Answer("coded as it is", 200, with: ["Content-Encoding": "Identity"], "bytes(Range(0..<100))"),
    Answer("a web page", 200, with: ["Content-Type": "Text/HTML"], "webPage"),
    Answer("without a credential", 401, "denied"),
    Answer("forbidden", 403, "absent"),
    Answer("not found", 404, "absent"),
    Answer("gone", 410, "absent"),
    Answer("too many requests", 429, "status"),
    Answer("a redirect that was not followed", 301, "status"),
    Answer("an error", 500, "status"),
    Answer("an unknown status", 799, "status"),
  ]

  @Test(arguments: answers) func `status and header fields decide how a body is used`(answer: Answer) throws {
    let url = try #require(URL(string: "http://seeds.example/a"))
    let request = TransportRequest(url: url, range: answer.range)
    let head = ResponseHead(status: answer.status, fields: answer.fields)
    var found = ""
    do {
      found = "\(try Reply.classify(head, of: request, length: 100, now: Self.now))"
    } catch {
      found = String("\(Mirror(reflecting: error).children.first?.label ?? "")")
    }
    #expect(found == answer.expected)
  }

  @Test func `gzip is accepted only from a request that allows it`() throws {
    let url = try #require(URL(string: "http://seeds.example/a"))
    let head = ResponseHead(status: 200, fields: ["Content-Encoding": "GZIP"])
    for allows in [false, true] {
      let request = TransportRequest(url: url, acceptsGzip: allows)
      #expect(request.fields["Accept-Encoding"] == (allows ? "gzip" : "identity"))
      let reply = try? Reply.classify(head, of: request, length: nil, now: Self.now)
      #expect((reply != nil) == allows)
    }
  }

  // MARK: Retries

  @Test func `Retry-After is seconds or a date and is limited to a day`() {
    func read(_ text: String?) -> Duration? { RetryAfter.read(text, now: Self.now) }
    #expect(read("120") == .seconds(120))
    #expect(read("0") == .seconds(0))
    #expect(read("-5") == .seconds(0))
    #expect(read("999999999") == .seconds(86_400))
    #expect(read("Sat, 01 Aug 2026 12:01:00 GMT") == .seconds(60))
    #expect(read("Sat, 01 Aug 2026 11:59:00 GMT") == .seconds(0))
    #expect(read("Fri, 01 Jan 2100 00:00:00 GMT") == .seconds(86_400))
    for text in [nil, "", "soon", "Saturday, 01-Aug-26 12:01:00 GMT", "Sat, 41 Aug 2026 12:01:00 GMT", "1.5"]
    {
      #expect(read(text) == nil)
    }
  }

  @Test func `failures without progress are few and their delays double`() {
    var rule = RetryRule()
    let broken = TransportError.unreachable(url: "", reason: "")
    let waits = (0..<3).map { _ in rule.wait(after: broken, received: 0, chance: 0.5) }
    #expect(waits == [.seconds(0.5), .seconds(1), nil])
  }

  @Test func `received bytes earn further retries`() {
    var rule = RetryRule()
    let broken = TransportError.unreachable(url: "", reason: "")
    for number in 1...1000 {
      #expect(rule.wait(after: broken, received: number * 16_384, chance: 0) == .seconds(0.375))
    }
    let waits = (0..<3).map { _ in rule.wait(after: broken, received: 1000 * 16_384, chance: 1) }
    #expect(waits == [.seconds(1.25), nil, nil])
    var drops = RetryRule()
    let attempts = (1...1000).prefix { drops.wait(after: broken, received: $0 * 1024, chance: 0) != nil }
    #expect(attempts.count < 10)
  }

  @Test func `permanent errors are not retried and long delays are left to the next update`() {
    func wait(_ error: TransportError) -> Duration? {
      var rule = RetryRule()
      return rule.wait(after: error, received: 0, chance: 0.5)
    }
    #expect([429, 500, 502, 503, 504].allSatisfy { wait(.status(url: "", $0)) == .seconds(0.5) })
    #expect([301, 304, 400, 401, 418, 501, 505].allSatisfy { wait(.status(url: "", $0)) == nil })
    #expect(wait(.status(url: "", 503, retryAfter: .seconds(2))) == .seconds(2))
    #expect(wait(.status(url: "", 503, retryAfter: .seconds(3))) == nil)
    #expect(wait(.tooSlow(url: "", bytes: 0, in: .seconds(30))) == .seconds(0.5))
    let final: [TransportError] = [
      .absent(url: ""), .tooLong(url: "", limit: 1), .webPage(url: ""), .waiting(url: ""), .partless(url: ""),
      .coded(url: "", coding: "br"), .tooLate(url: "", after: .zero), .otherPart(url: "", found: ""),
    ]
    #expect(final.allSatisfy { wait($0) == nil })
  }

  @Test func `the delay follows Retry-After up to a day and adds jitter`() {
    let interval = PollInterval(pollSeconds: 30)
    #expect(interval.wait(afterFailures: 1, chance: 0, asked: .seconds(600)) == .seconds(600))
    #expect(interval.wait(afterFailures: 1, chance: 1, asked: .seconds(600)) == .seconds(620))
    #expect(interval.wait(afterFailures: 1, chance: 0.5, asked: .seconds(1)) == .seconds(11))
    #expect(interval.wait(afterFailures: 2, chance: 0.5, asked: .seconds(1)) == .seconds(20))
    let brief = PollInterval(pollSeconds: 2)
    #expect(brief.wait(afterFailures: 1, chance: 1, asked: .seconds(600)) == .seconds(605))
    #expect(interval.wait(afterFailures: 1, chance: 0, asked: .seconds(1_000_000)) == .seconds(86_400))
  }

  @Test(arguments: [(bytes: 0, ends: "tooSlow"), (bytes: 1_000_000, ends: "tooLate")])
  func `a transfer needs a minimum rate and has a maximum time`(bytes: Int, ends: String) async throws {
    let (clock, transport) = (Shared(Duration.zero), EndlessAnswer())
    let environment = Environment(
      transport: transport,
      sleep: { duration in
        clock.withLock { $0 += duration }
        while transport.receiver.withLock({ $0 == nil }) { await Task.yield() }
        try transport.receiver.withLock { $0 }?.body([UInt8](repeating: 0, count: bytes))
      }, uptime: { clock.withLock { $0 } })
    var options = SeedOptions()
    options.timeouts.total = .seconds(100)
    let url = try #require(URL(string: "http://seeds.example"))
    let fetcher = Fetcher(
      try ServerAddress(url), environment, StoreLayout(directory: "/nowhere"), options)
    let timeouts = options.timeouts
    await #expect {
      try await WatchedRequest(
        TransportRequest(url: url), length: nil, deadline: timeouts.total, for: fetcher
      )
      .run { _, _ in }
    } throws: { error in
      Mirror(reflecting: error).children.first?.label == ends
    }
    #expect(clock.withLock { $0 } == (ends == "tooSlow" ? timeouts.window : timeouts.total))
  }

  // MARK: Redirects

  @Test(arguments: [TransportError.status(url: "/a", 302), .webPage(url: "/a")])
  func `a sign-in page is reported as such`(_ error: TransportError) {
    #expect(error.seedError.code == .server && error.description.contains("sign in first"))
  }

  @Test func `a redirect must stay on its server, keep its scheme, and end`() throws {
    func exchange() throws -> Exchange {
      let url = try #require(URL(string: "https://seeds.example/a"))
      return Exchange(
        request: TransportRequest(url: url),
        receiver: ResponseReceiver { _ in
        } body: { _ in
        }, end: { _ in })
    }
    let origin = URL(string: "https://seeds.example/a")
    func follows(_ text: String) throws -> Bool {
      var exchange = try exchange()
      return exchange.follows(from: origin, to: URL(string: text))
    }
    for same in ["https://seeds.example/b", "HTTPS://Seeds.Example:443/b"] { #expect(try follows(same)) }
    for other in [
      "http://seeds.example/b", "http://seeds.example:443/b", "https://seeds.example:80/b",
      "https://seeds.example:8443/b", "https://evil.example/b",
      "ftp://seeds.example/b",
      "https://seeds.example.evil.example/", "file:///etc/passwd",
    ] { #expect(try !follows(other)) }
    var exchange = try exchange()
    let followed = (0..<100).prefix { _ in exchange.follows(from: origin, to: origin) }
    #expect(followed.count == 5)
  }

  // MARK: Disk space

  private static let snapshot = PublishedObject(.snapshot(.first, .gzip), length: 1000, raw: 10_000)
  private static let delta = PublishedObject(.delta(from: .first, to: .first.next), length: 100, raw: 2000)

  @Test func `an update needs the space of its files and of their contents`() {
    func needed(_ objects: [PublishedObject], held: Int = 0) -> Int { objects.space(held: held) }
    #expect(needed([]) == 0)
    #expect(needed([Self.snapshot], held: 500) == 500 + 10_000)
    #expect(needed([Self.snapshot, Self.delta]) == 1000 + 10_000 + 100 + 2000)
  }

  @Test func `an update without space is rejected with the sizes`() throws {
    let needed = [Self.snapshot].space(held: 0)
    func check(_ available: Int?) throws {
      try [Self.snapshot].checkSpace(held: 0, available: available, in: "/seeds")
    }
    try check(nil)
    try check(needed)
    let refused = #expect(throws: SeedError.self) { try check(needed - 1) }
    #expect(refused?.code == .insufficientSpace && refused?.neededBytes == needed)
    #expect(refused?.availableBytes == needed - 1)
    #expect(
      refused?.message.hasPrefix("the update needs 11.0 kB in /seeds, but ") == true, "\(refused as Any)")
  }
}

private final class EndlessAnswer: Transport {
  let receiver = Shared<ResponseReceiver?>(nil)

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    try receiver.head(ResponseHead(status: 200))
    self.receiver.withLock { $0 = receiver }
    try await Task.sleep(for: .seconds(3600))
  }
}

/// A busy server that sends Retry-After.
private struct BusyServer: Transport {
  let retryAfter: Int

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    try receiver.head(ResponseHead(status: 503, fields: ["Retry-After": "\(retryAfter)"]))
  }
}

/// An update's waits for a busy server are short, because a user may be looking at it.
@Suite struct PatienceTests {
  @Test func `an update waits twice for a short Retry-After and not for a long one`() async throws {
    let fixture = try StoreFixture()
    for (asked, times) in [(1, 2), (2, 2), (3, 0), (7, 0), (3600, 0)] {
      let waits = Shared<[Duration]>([])
      let store = try fixture.store { environment in
        environment.transport = BusyServer(retryAfter: asked)
        environment.chance = { 0 }
        environment.sleep = { duration in
          // The timeout of each request also sleeps.
          guard duration > .seconds(20) else { return waits.withLock { $0.append(duration) } }
          try await Task.sleep(for: duration)
        }
      }
      let error = await #expect(throws: SeedError.self) { try await store.update() }
      await store.close()
      #expect(error?.code == .serverBusy && error?.retryAfter == .seconds(asked))
      #expect(waits.withLock { $0 } == Array(repeating: .seconds(asked), count: times))
    }
  }
}
