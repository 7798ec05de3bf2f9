import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

private struct NoNetwork: Transport {
  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    throw TransportError.unreachable(url: request.url.absoluteString, reason: "there is no network")
  }
}

/// Rules for responses and retries, without I/O.
@Suite struct FetchRuleTests {
  private static let now = UTCTime(secondsSinceEpoch: 1_785_585_600)

  // MARK: Replies

  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var range: Range<Int>?
    let status: Int
    var fields: [String: String] = [:]
    /// A reply, or the name of the error's case.
    let expected: String
  }

  static let answers: [Answer] = [
    Answer(testDescription: "the whole", status: 200, expected: "bytes(Range(0..<100))"),
    Answer(
      testDescription: "the whole, of the signed length", status: 200, fields: ["Content-Length": "100"],
      expected: "bytes(Range(0..<100))"),
    Answer(
      testDescription: "the whole, of another length", status: 200, fields: ["content-length": "99"],
      expected: "otherLength"),
    Answer(
      testDescription: "the whole in the place of a part", range: 50..<100, status: 200,
      expected: "bytes(Range(0..<100))"),
    Answer(
      testDescription: "the part", range: 50..<100, status: 206,
      fields: ["Content-Range": "bytes 50-99/100"], expected: "bytes(Range(50..<100))"),
    Answer(
      testDescription: "a shorter part", range: 50..<100, status: 206,
      fields: ["Content-Range": "bytes 50-59/100"], expected: "bytes(Range(50..<60))"),
    Answer(
      testDescription: "a longer part", range: 50..<60, status: 206,
      fields: ["Content-Range": "bytes 50-99/100"], expected: "otherPart"),
    Answer(
      testDescription: "a part that begins elsewhere", range: 50..<100, status: 206,
      fields: ["Content-Range": "bytes 49-99/100"], expected: "otherPart"),
    Answer(
      testDescription: "a part of nobody knows what", range: 50..<100, status: 206,
      fields: ["Content-Range": "bytes 50-99/*"], expected: "otherPart"),
    Answer(
      testDescription: "a part without words", range: 50..<100, status: 206, expected: "otherPart"),
    Answer(
      testDescription: "a part of a longer file", range: 50..<100, status: 206,
      fields: ["Content-Range": "bytes 50-99/101"], expected: "otherLength"),
    Answer(
      testDescription: "a part that nobody asked for", status: 206,
      fields: ["Content-Range": "bytes 0-99/100"], expected: "status"),
    Answer(testDescription: "no such part", range: 50..<100, status: 416, expected: "restart"),
    Answer(testDescription: "not even a first part", range: 0..<100, status: 416, expected: "status"),
    Answer(testDescription: "coded", status: 200, fields: ["Content-Encoding": "br"], expected: "coded"),
    Answer(
      testDescription: "coded as it is", status: 200, fields: ["Content-Encoding": "Identity"],
      expected: "bytes(Range(0..<100))"),
    Answer(
      testDescription: "a web page", status: 200, fields: ["Content-Type": "Text/HTML"], expected: "webPage"),
    Answer(testDescription: "forbidden", status: 403, expected: "absent"),
    Answer(testDescription: "not found", status: 404, expected: "absent"),
    Answer(testDescription: "gone", status: 410, expected: "absent"),
    Answer(testDescription: "too many requests", status: 429, expected: "status"),
    Answer(testDescription: "a redirect that was not followed", status: 301, expected: "status"),
    Answer(testDescription: "an error", status: 500, expected: "status"),
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
    #expect(interval.wait(afterFailures: 1, chance: 1, asked: .seconds(600)) == .seconds(610))
    #expect(interval.wait(afterFailures: 1, chance: 0.5, asked: .seconds(1)) == .seconds(10))
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
    #expect(try follows("https://seeds.example/b"))
    for other in [
      "http://seeds.example/b", "https://seeds.example:8443/b", "https://evil.example/b",
      "ftp://seeds.example/b",
      "https://seeds.example.evil.example/", "file:///etc/passwd",
    ] { #expect(try !follows(other)) }
    var exchange = try exchange()
    let followed = (0..<100).prefix { _ in exchange.follows(from: origin, to: origin) }
    #expect(followed.count == 5)
  }

  // MARK: Disk space

  private static let snapshot = object(.snapshot(.first, .gzip), length: 1000, raw: 10_000)
  private static let delta = object(.delta(from: .first, to: .first.next), length: 100, raw: 2000)

  @Test func `a snapshot needs the space of its two forms`() throws {
    func needed(_ objects: [PublishedObject], held: Int = 0) -> Int { DiskPlan(objects, held: held).needed }
    #expect(needed([]) == 0)
    #expect(needed([Self.snapshot]) == 1000 + 10_000)
    #expect(needed([Self.snapshot], held: 500) == 500 + 10_000)
    #expect(needed([Self.snapshot, Self.delta]) > needed([Self.snapshot]) + 100 + 2000)
    #expect(DiskPlan([Self.snapshot], held: 0).most == 1000 + 15_000)
    let hostile = Self.object(.snapshot(.first, .gzip), length: .max, raw: .max)
    #expect(needed([hostile]) == .max)
    #expect(
      DiskPlan([Self.object(.delta(from: .first, to: .first.next), length: 1, raw: .max)], held: 0).most
        == .max)
  }

  @Test func `deltas need a page per changed row, and at most the file`() throws {
    func needed(_ file: FileShape) -> Int { DiskPlan([Self.delta], held: 100, over: file).needed }
    // 100 updates of 20 bytes.
    let large = FileShape(bytes: 100_000_000, rows: 1_000_000, entries: 0, pageBytes: 4096)
    #expect(abs(needed(large) - (100 * 4096 + 2000) * 120 / 100) < 2000)
    // Rows with two indexes share the 100 bytes, so there are 40 whole ones, each of which changes five pages.
    let indexed = FileShape(bytes: 100_000_000, rows: 1_000_000, entries: 2_000_000, pageBytes: 4096)
    #expect(abs(needed(indexed) - (40 * 5 * 4096 + 2000) * 120 / 100) < 5000)
    let small = FileShape(bytes: 8192, rows: 100, entries: 300, pageBytes: 4096)
    #expect(abs(needed(small) - (8192 + 2000) * 120 / 100) < 100)
    #expect(DiskPlan([Self.delta], held: 100, over: small).most == 8192 * 125 / 100 + 3 * 2000)
  }

  @Test func `an update without space is rejected with the sizes, before or after it began`() throws {
    let plan = DiskPlan([Self.snapshot], held: 0)
    try plan.check(available: nil, in: "/")
    try plan.check(available: plan.needed, in: "/")
    let refused = #expect(throws: SeedError.self) { try plan.check(available: plan.needed - 1, in: "/") }
    #expect(refused?.code == .insufficientSpace && refused?.neededBytes == plan.needed)
    #expect(refused?.availableBytes == plan.needed - 1)
    let full = SeedError(plan.explaining(FileError("write", "/x", ENOSPC), available: 10, in: "/seeds"))
    #expect(full.code == .insufficientSpace && full.neededBytes == plan.most && full.availableBytes == 10)
    #expect(full.message.hasPrefix("the update needs up to 16.0 kB in /seeds, but 10"), "\(full)")
    let other = SeedError(plan.explaining(FileError("write", "/x", EIO), available: 10, in: "/seeds"))
    #expect(other.code == .io && other.neededBytes == nil)
  }

  private static func object(_ kind: PublishedObject.Kind, length: Int, raw: Int) -> PublishedObject {
    PublishedObject(
      series: SeedSeries("transit", model: "2.1"), kind: kind, length: length, sha256: .of([]), model: "2.1",
      rawLength: raw, rawSHA256: .of([]), schema: .of([]), digest: .of([]))
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
