import Foundation
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Plays the system, which outlives the app: it keeps what it was asked for, and brings it when the test says so.
private final class PlayedSystem: SystemDownloads {
  private let arrivals: ArrivalFolder
  private let heard = Broadcast<SystemDownloadEvent>(mostWaiting: 16)
  private let asked = Shared<[TransportRequest]>([])
  private let calls = Shared(0)

  init(_ folder: String) { arrivals = ArrivalFolder(path: folder) }

  var requests: [TransportRequest] { asked.withLock { $0 } }
  /// How often it was told what to do.
  var callCount: Int { calls.withLock { $0 } }

  func events() -> AsyncStream<SystemDownloadEvent> { heard.stream() }

  func pursue(_ order: BackgroundOrder, _ request: TransportRequest) async {
    asked.withLock { asked in
      if asked.last.flatMap(BackgroundOrder.init) != order { asked.append(request) }
    }
    calls.withLock { $0 += 1 }
  }

  func tell(_ kind: SystemDownloadEvent.Kind) throws {
    let order = try #require(asked.withLock { $0.last }.flatMap(BackgroundOrder.init))
    heard.send(SystemDownloadEvent(order: order, kind: kind))
  }

  /// Brings the answer to the latest request, as a server with this content gives it.
  func bring(_ content: [UInt8], in folder: TemporaryFolder) throws {
    let request = try #require(asked.withLock { $0.last })
    let (head, body) = (Shared<ResponseHead?>(nil), Shared<[UInt8]>([]))
    try FileAnswer(request, content).send(
      to: ResponseReceiver { answer in
        head.withLock { $0 = answer }
      } body: { piece in
        body.withLock { $0 += piece }
      })
    let file = folder("system.tmp")
    try DurableFile.write(body.withLock { $0 }, to: file)
    let order = try #require(BackgroundOrder(request))
    let answer = try #require(head.withLock { $0 })
    try tell(arrivals.take(file, for: order, answer) ? .arrived : .answered(answer))
  }
}

/// Large snapshots that the system gets while the app is suspended.
@Suite struct BackgroundTests {
  private let fixture: StoreFixture
  private let system: PlayedSystem

  /// So long that its snapshot is more than two parts of a download.
  private static let name: String = {
    var chance = SplitMix(seed: 106)
    let words = (0..<(9 << 17)).map { _ in chance.next() }
    return words.withUnsafeBytes { Data($0) }.base64EncodedString()
  }()

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": Self.name])
    system = PlayedSystem(StoreLayout(directory: fixture.directory).partial)
  }

  private func store() throws -> SeedStore {
    try fixture.store { [system] environment in
      environment.chance = { 0 }
      environment.background = { arrivals, _ in BackgroundTransport(system, arrivals) }
      // The watch over what the app sends itself must not end it.
      environment.sleep = { if $0 > .seconds(2) { try await Task.sleep(for: .seconds(100_000)) } }
    }
  }

  private var content: [UInt8] {
    get throws {
      let path = try fixture.lastSnapshot.filePath
      return fixture.publisher.withServed { $0.files[path] ?? [] }
    }
  }

  private var snapshotRequests: Int {
    fixture.publisher.withServed { $0.requests.filter { $0.contains("snapshot-") }.count }
  }

  /// Blocks no thread, for the update needs one.
  private func waitForOrder(_ count: Int = 1) async throws {
    while system.callCount < count { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func `the system gets a large snapshot, and the app sends no request for it`() async throws {
    let store = try store()
    let update = Task { try await store.update() }
    try await waitForOrder()
    #expect(system.requests[0].range == nil)
    try system.bring(content, in: fixture.folder)
    #expect(try await update.value.action == .replaced)
    #expect(try await store.stops() == [Self.name])
    #expect(snapshotRequests == 0)
    #expect(try fixture.names("partial").isEmpty)
  }

  @Test func `what arrived after the update was cancelled is taken by the next process, without a request`()
    async throws
  {
    let first = try store()
    let update = Task { try await first.update() }
    try await waitForOrder()
    update.cancel()
    #expect(await code { _ = try await update.value } == .cancelled)
    await first.suspend()
    try system.bring(content, in: fixture.folder)
    let second = try store()
    #expect(try await second.update().action == .replaced)
    #expect(system.requests.count == 1 && snapshotRequests == 0)
    #expect(try await second.stops() == [Self.name])
  }

  @Test func `an update that comes while the system is at it waits for it`() async throws {
    let store = try store()
    let first = Task { try await store.update() }
    try await waitForOrder(1)
    first.cancel()
    #expect(await code { _ = try await first.value } == .cancelled)
    let update = Task { try await store.update() }
    try await waitForOrder(2)
    try system.bring(content, in: fixture.folder)
    #expect(try await update.value.action == .replaced)
    #expect(system.requests.count == 1)
  }

  @Test func `the system gets the rest of what the app has begun`() async throws {
    let begun = Shared(0)
    fixture.publisher.withServed { served in
      served.hold = { name in
        guard name.contains("snapshot-") else { return }
        let count = begun.withLock { count in
          count += 1
          return count
        }
        if count > 1 { throw TransportError.unreachable(url: name, reason: "the app is in a tunnel") }
      }
    }
    let length = try fixture.lastSnapshot.length
    #expect(length > 2 * Fetcher.partBytes)
    #expect(await code { try await fixture.store().update() } == .network)
    let store = try store()
    let update = Task { try await store.update() }
    try await waitForOrder()
    #expect(system.requests[0].range == Fetcher.partBytes..<length && system.requests[0].validator != nil)
    try system.bring(content, in: fixture.folder)
    #expect(try await update.value.action == .replaced)
    #expect(try await store.stops() == [Self.name])
  }

  @Test func `a small snapshot is got by the app itself, and so are deltas`() async throws {
    let small = try StoreFixture()
    try small.publisher.publish(["a": "Alexanderplatz"])
    let store = try small.store { [system] environment in
      environment.background = { arrivals, _ in BackgroundTransport(system, arrivals) }
    }
    try await store.update()
    try small.publisher.publish(["a": "Alex"])
    #expect(try await store.update().action == .applied)
    #expect(system.requests.isEmpty)
  }

  @Test func `a file begins where its order began, or is the whole, and nothing else is told it`() throws {
    let folder = ArrivalFolder(path: fixture.folder("arrivals"))
    let file = fixture.folder("body")
    let rest = try order(from: 30)
    #expect(BackgroundOrder(rest.text) == rest)
    try DurableFile.write(Array(repeating: 7, count: 70), to: file)
    let heads = Shared<[ResponseHead]>([])
    let receiver = ResponseReceiver { head in
      heads.withLock { $0.append(head) }
    } body: { _ in
    }
    #expect(try folder.take(file, for: rest, ResponseHead(status: 206)))
    #expect(try !folder.tell(order(from: 0), to: receiver) && !folder.tell(order(from: 40), to: receiver))
    #expect(try folder.tell(rest, to: receiver))
    // Once, and then it is gone.
    #expect(try !folder.tell(rest, to: receiver))
    let head = try #require(heads.withLock { $0.first })
    #expect(
      head.status == 206 && head["Content-Range"] == "bytes 30-99/100" && head["Content-Length"] == "70")
  }

  private func order(from start: Int) throws -> BackgroundOrder {
    var request = TransportRequest(url: try #require(URL(string: "http://seeds.example/a")))
    request.background = PublishedObject(
      series: ClientPublisherSimulator.series, kind: .snapshot(.first, .gzip), length: 100, sha256: .of([]),
      model: "2.1", rawLength: 100, rawSHA256: .of([]), schema: .of([]), digest: .of([]))
    request.range = start == 0 ? nil : start..<100
    return try #require(BackgroundOrder(request))
  }

  @Test(
    .full,
    arguments: [
      (0, 100, 200, [:], 0), (0, 100, 206, [:], 0), (30, 70, 206, [:], 30), (30, 100, 200, [:], 0),
      (30, 50, 206, [:], nil),
      (0, 100, 404, [:], nil), (30, 70, 416, [:], nil), (0, 100, 200, ["Content-Type": "text/html"], nil),
      (0, 100, 200, ["Content-Encoding": "gzip"], nil),
    ] as [(Int, Int, Int, [String: String], Int?)])
  func `the length of the system's file says what it is, also where it went on by itself`(
    _ start: Int, _ bytes: Int, _ status: Int, _ fields: [String: String], _ found: Int?
  ) throws {
    #expect(try order(from: start).start(of: bytes, ResponseHead(status: status, fields: fields)) == found)
  }

  @Test func `an answer other than the file is judged as ever`() async throws {
    let store = try store()
    let update = Task { try await store.update() }
    try await waitForOrder()
    try system.tell(.answered(ResponseHead(status: 404)))
    #expect(await code { _ = try await update.value } == .missingFile)
  }

  @Test func `files of the system's outlive the sweep until nobody wants them`() async throws {
    let folder = StoreLayout(directory: fixture.directory).partial
    try Folder.create(folder)
    let object = try fixture.lastSnapshot
    let name = "\(object.sha256.hex).0.arrived"
    try DurableFile.write([1, 2, 3], to: "\(folder)/\(name)")
    try DurableFile.write([1], to: "\(folder)/\(object.sha256.hex).part.json")
    try PartialFolder.sweep(folder)
    #expect(try Folder.names(in: folder) == [name])
    #expect(try await PartialFolder(folder).keep([object]) == 3)
    #expect(try await PartialFolder(folder).keep([]) == 0)
    #expect(try Folder.names(in: folder).isEmpty)
  }

  @Test func `what the system has so far is shown, and counted once`() async throws {
    let phases = Shared<[Int]>([])
    var options = SeedOptions()
    options.onPhase = { phase in
      if case .downloading(let bytes, _) = phase { phases.withLock { $0.append(bytes) } }
    }
    let (content, uptime) = (try content, Shared(Duration.zero))
    let store = try fixture.store(options: options) { [system] environment in
      environment.background = { arrivals, _ in BackgroundTransport(system, arrivals) }
      environment.sleep = { if $0 > .seconds(2) { try await Task.sleep(for: .seconds(100_000)) } }
      environment.uptime = {
        uptime.withLock { time in
          time += .seconds(1)
          return time
        }
      }
    }
    let update = Task { try await store.update() }
    try await waitForOrder()
    try system.tell(.progress(1000))
    try system.tell(.progress(3000))
    try system.bring(content, in: fixture.folder)
    _ = try await update.value
    let seen = phases.withLock { $0 }
    #expect(seen.contains(3000) && seen.max() == content.count && seen.last == content.count)
  }

  @Test func `a download of the system's that fails ends the update, with the system's reason`() async throws
  {
    let store = try store()
    let update = Task { try await store.update() }
    // As often as any request that fails without a byte.
    for count in 1...3 {
      try await waitForOrder(count)
      try system.tell(.failed(.unreachable(url: "http://seeds.example", reason: "there is no way")))
    }
    let error = await #expect(throws: SeedError.self) { try await update.value }
    #expect(error?.code == .network && error?.message.contains("there is no way") == true)
  }
}
