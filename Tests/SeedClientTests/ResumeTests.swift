import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Connections break anywhere, and received bytes are not requested again.
@Suite struct ResumeTests {
  /// Bytes of the file: two parts and a piece, or one part.
  private static let large = 9_000_000
  private static let small = 2_000_000
  /// Breaks of one download, and downloads with one break each.
  private static let breaks = Stage.pick(quick: 30, full: 100, deep: 100)

  @Test func `a file arrives although its connection breaks repeatedly at random offsets`() async throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    // One per stretch, because three in a row without progress end the download.
    let stretch = Self.large / Self.breaks
    let offsets = (0..<Self.breaks).map { $0 * stretch + Int.random(in: 1..<stretch, using: &random) }
    let server = try BreakingServer(Self.content(Self.large), breakingAt: offsets)
    let traffic = try await Self.download(from: server, in: TemporaryFolder(inMemory: true))
    #expect(traffic.retries > 0 && traffic.restarts == 0, "seed \(seed)")
    #expect(traffic.bytes == Self.large, "seed \(seed)")
  }

  @Test func `a download resumes from a break at any offset`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let content = Self.content(Self.small)
    var random = SplitMix(seed: Stage.seed)
    for _ in 0..<(Stage.isDeep ? 2 * Self.breaks : Self.breaks / 10) {
      let offset = Int.random(in: 1..<Self.small, using: &random)
      let server = try BreakingServer(content, breakingAt: [offset])
      let traffic = try await Self.download(from: server, in: folder)
      #expect(traffic.retries >= 1 && traffic.restarts == 0, "at \(offset)")
      #expect(traffic.bytes == Self.small, "at \(offset)")
      // A break loses bytes in flight: more on a busy machine, but fewer than a socket's buffers hold.
      let isLate = offset > Self.small / 2
      #expect(!isLate || server.starts.dropFirst().allSatisfy { $0 > 0 }, "at \(offset): \(server.starts)")
    }
  }

  @Test func `a server without range support is reported if its connections break`() async throws {
    let content = Self.content(Self.small)
    let offsets = [1, 2, 3, 4].map { $0 * Self.small / 5 }
    let server = try BreakingServer(content, breakingAt: offsets, sendingParts: false)
    let error = await #expect(throws: TransportError.self) {
      _ = try await Self.download(from: server, in: TemporaryFolder(inMemory: true))
    }
    guard case .partless = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a modified partial file costs one more download of that part`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let content = Self.content(Self.small)
    let server = try BreakingServer(content, breakingAt: [])
    let object = Self.object(content)
    try Folder.create(folder("partial"))
    let part = folder("partial/\(object.sha256.hex).part")
    try Data(repeating: 7, count: 1000).write(to: URL(fileURLWithPath: part))
    let traffic = try await Self.download(from: server, in: folder)
    #expect(traffic.restarts == 1 && traffic.bytes == 2 * Self.small - 1000)
  }

  @Test func `parts of other objects are removed`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let object = Self.object([1, 2, 3])
    let kept = PartialFile.name(of: object)
    for name in [kept, "bb.part", "dd"] { try Data("x".utf8).write(to: URL(fileURLWithPath: folder(name))) }
    let partial = PartialFolder(folder.path, mode: 0o600)
    #expect(try await partial.keep([object]) == 1)
    #expect(try Folder.names(in: folder.path) == [kept])
    #expect(try await partial.keep([]) == 0)
    #expect(try Folder.names(in: folder.path).isEmpty)
  }

  // MARK: Helpers

  private static func content(_ count: Int) -> [UInt8] {
    // Repeats after more bytes than a connection's piece.
    let block = (0..<99_991).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
  }

  private static func object(_ content: [UInt8]) -> PublishedObject {
    PublishedObject(.snapshot(.first, .gzip), length: content.count, raw: 1).with(sha256: .of(content))
  }

  /// Downloads with a new fetcher, compares the file, and removes it.
  private static func download(
    from server: BreakingServer, in folder: TemporaryFolder
  ) async throws -> UpdateTraffic {
    try Folder.create(folder("partial"))
    let (clock, context) = (TestClock(), UpdateContext())
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
    let environment = Environment(
      transport: URLSessionTransport(userAgent: "test"), sleep: { try await clock.sleep($0) },
      chance: { 0.5 }, uptime: { clock.uptime })
    var fetcher = Fetcher(
      try ServerAddress(url), environment, StoreLayout(directory: folder.path), SeedOptions())
    fetcher.context = context
    // Foundation on Linux may miss the events of a session; the client then retries in another one.
    let time = Task {
      var (bytes, idleTicks) = (0, 0)
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(3))
        let before = bytes
        bytes = context.traffic.bytes
        idleTicks = bytes == before ? idleTicks + 1 : 0
        if idleTicks > 1 { clock.letTimePass() }
      }
    }
    defer { time.cancel() }
    let file = try await Download(object(server.content), for: fetcher).run()
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data(server.content))
    file.discard()
    return context.traffic
  }
}
