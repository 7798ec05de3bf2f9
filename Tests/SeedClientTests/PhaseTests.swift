import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@testable import SeedClient

@Suite struct PhaseTests {
  private let fixture: StoreFixture
  /// The device's clock, which advances whenever it is read.
  private let clock = Shared(Duration.zero)

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz", "b": "Bellevue"])
  }

  private func store(
    step: Duration = .seconds(1), free: Int? = nil, over transport: (any Transport)? = nil
  ) throws -> SeedStore {
    try fixture.store { environment in
      if let transport { environment.transport = transport }
      // Requests answer at once, which cancels their timeout.
      environment.sleep = { _ in try await Task.sleep(for: .seconds(3600)) }
      environment.uptime = { [clock] in
        clock.withLock { now in
          now += step
          return now
        }
      }
      environment.freeBytes = { _ in free }
    }
  }

  private func phases(_ store: SeedStore) async throws -> [UpdatePhase] {
    var phases: [UpdatePhase] = []
    try await store.update { phases.append($0) }
    return phases
  }

  @Test func `a first start reports its phases in order up to the report`() async throws {
    try fixture.publisher.publish(["c": "Charité"])
    let phases = try await phases(try store())
    #expect(
      phases.names == [
        "checking", "downloading", "expanding", "buildingIndexes", "applying", "swapping", "finished",
      ])
    for (phase, next) in zip(phases, phases.dropFirst()) where phase.name == next.name {
      #expect((phase.fractionCompleted ?? 0) <= (next.fractionCompleted ?? 0))
    }
    for name in ["downloading", "expanding", "applying"] {
      #expect(phases.last { $0.name == name }?.fractionCompleted == 1)
    }
    guard case .finished(let report) = phases.last else { throw CancellationError() }
    #expect(report.plan.reason == .firstDownload && report.action == .replaced && report.changes.isEmpty)
    #expect(report.duration > .zero && report.traffic.retries == 0)
    #expect(report.traffic.bytes > report.bytes && report.bytes == report.plan.bytes)
    #expect(report.phases.map(\.phase).names == phases.names.dropLast())
    #expect(report.phases.allSatisfy { $0.duration > .zero })
    #expect(report.phases[1].bytes == report.bytes && report.phases[3].bytes == 0)
  }

  @MainActor private static func update(_ store: SeedStore) async throws -> [Bool] {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    var isMain: [Bool] = []
    try await store.update { _ in isMain.append(DispatchQueue.getSpecific(key: mark) == true) }
    return isMain
  }

  @Test func `phases are reported in the caller's isolation`() async throws {
    let isMain = try await Self.update(try store())
    #expect(isMain.count > 3 && isMain.allSatisfy(\.self))
  }

  @Test func `deltas report their rows and the report lists them by table`() async throws {
    let store = try store()
    try await store.prepare()
    try fixture.publisher.publish(["a": "Alex", "c": "Charité"])
    try fixture.publisher.publish(["c": "Charlottenburg"], deleting: ["b"])
    let phases = try await phases(store)
    #expect(phases.names == ["checking", "downloading", "applying", "finished"])
    guard case .finished(let report) = phases.last, let stops = report.changes["stop"] else {
      throw CancellationError()
    }
    #expect((stops.inserted, stops.updated, stops.deleted) == (1, 2, 1))
    #expect(report.plan.files.count == 2 && report.from == .first && report.to.number == 3)
    let rows = phases.compactMap { if case .applying(let rows, _, _) = $0 { rows } else { nil } }
    #expect(rows.last == 4)
  }

  @Test func `the report counts only the bytes of files that were used`() async throws {
    let store = try store()
    try await store.prepare()
    for name in ["Charité", "Charlottenburg"] { try fixture.publisher.publish(["c": name]) }
    try fixture.publisher.publishSnapshot()
    let missing = try fixture.lastDelta.filePath
    fixture.publisher.withServed { $0.files[missing] = nil }
    let report = try await store.update()
    #expect(report.plan.reason == .onlySnapshot, "the delta was planned, and is missing")
    #expect(report.action == .replaced && report.bytes == report.plan.bytes)
  }

  @Test func `progress of one phase is throttled to a tenth of a second except for its end`() async throws {
    let phases = try await phases(try store(step: .microseconds(1)))
    let downloading = phases.filter { $0.name == "downloading" }.map(\.fractionCompleted)
    #expect(downloading == [0, 1])
  }

  @Test func `an update without news has two phases, and a failure ends the phases with its error`()
    async throws
  {
    let store = try store()
    try await store.prepare()
    let phases = try await phases(store)
    #expect(phases.names == ["checking", "finished"])
    #expect(phases[0] == .checking && phases[1] == phases[1] && phases[0] != phases[1])
    fixture.publisher.withServed { $0.files["metadata/timestamp.json"] = nil }
    #expect(await code { _ = try await self.phases(store) } == .missingFile)
  }

  @Test func `an update that is cancelled in a phase keeps the old data or has the new`() async throws {
    let store = try store()
    try await store.prepare()
    var old = ["Alexanderplatz", "Bellevue"]
    for last in ["checking", "downloading", "expanding", "buildingIndexes"] {
      try fixture.publisher.startEpoch()
      try fixture.publisher.publish(["a": last])
      for try await phase in store.updatePhases() { if phase.name == last { break } }
      let (found, new) = (try await store.stops(), [last, "Bellevue"])
      #expect(found == old || found == new, "\(last)")
      #expect(try await store.update().to.number == 2, "\(last)")
      #expect(try await store.stops() == new)
      old = new
    }
  }

  // MARK: Policies

  @Test func `a plan describes an update and downloads only metadata`() async throws {
    let store = try store()
    let first = try await store.updatePlan()
    #expect(first.action == .replaced && first.reason == .firstDownload && first.from == nil)
    #expect(fixture.publisher.withServed { $0.requests.allSatisfy { $0.hasPrefix("metadata/") } })
    try await store.prepare()
    #expect(try await store.updatePlan().action == .upToDate)
    try fixture.publisher.publish(["c": "Charité"])
    let delta = try await store.updatePlan()
    let length = try fixture.lastDelta.length
    #expect(delta.action == .applied && delta.bytes == length)
    #expect(try await store.update().plan == delta)
  }

  @Test func `an update above its size limit downloads nothing and reports its size`() async throws {
    let store = try store()
    try await store.prepare()
    try fixture.publisher.startEpoch()
    let needed = try fixture.lastSnapshot.length
    await #expect(throws: SeedError.self) { try await store.update(UpdatePolicy(maximumBytes: needed - 1)) }
    let error = try #require(await store.state.lastError)
    #expect(error.code == .tooLarge && error.neededBytes == needed && error.availableBytes == needed - 1)
    let path = try fixture.lastSnapshot.filePath
    #expect(fixture.publisher.withServed { !$0.requests.contains(path) })
    #expect(try await store.update(UpdatePolicy(maximumBytes: needed)).action == .replaced)
  }

  @Test func `a constrained network is used only for first data and on request`() async throws {
    let store = try store(over: SparedNetwork(publisher: fixture.publisher))
    let first = Task<Void, any Error> { try await store.keepUpdated() }
    for await _ in store.files { break }
    first.cancel()
    _ = await first.result
    let failures = AsyncStream.makeStream(of: SeedError.self)
    let task = Task<Void, any Error> { try await store.keepUpdated { failures.continuation.yield($0) } }
    var failure = failures.stream.makeAsyncIterator()
    let waiting = try #require(await failure.next())
    #expect(waiting.code == .waitingForNetwork && waiting.isRetryable)
    task.cancel()
    #expect(await code { try await task.value } == .cancelled)
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    try fixture.publisher.publish(["a": "Alex"])
    #expect(await code { try await store.update(.background) } == .waitingForNetwork)
    #expect(try await store.update().action == .applied)
  }

  @Test func `a given policy also limits the first download`() async throws {
    let store = try store(over: SparedNetwork(publisher: fixture.publisher))
    let failures = AsyncStream.makeStream(of: SeedError.self)
    let task = Task<Void, any Error> {
      try await store.keepUpdated(UpdatePolicy(allowsExpensive: false)) { failures.continuation.yield($0) }
    }
    var failure = failures.stream.makeAsyncIterator()
    #expect(await failure.next()?.code == .waitingForNetwork)
    task.cancel()
    _ = await task.result
    #expect(await store.state.version == nil)
  }

  @Test func `a full disk is detected before the first byte and reported with sizes`() async throws {
    let store = try store(free: 1000)
    await #expect(throws: SeedError.self) { try await store.update() }
    let error = try #require(await store.state.lastError)
    #expect(error.code == .insufficientSpace && error.availableBytes == 1000 && error.isRetryable)
    let rawLength = try fixture.lastSnapshot.rawLength
    #expect(try #require(error.neededBytes) > rawLength)
    #expect(fixture.publisher.withServed { $0.requests.allSatisfy { $0.hasPrefix("metadata/") } })
    #expect(try await store.updatePlan().action == .replaced)
  }

  @Test func `an idle poll is one request and from time to time a second for the next root`() async throws {
    let store = try store()
    try await store.prepare()
    let requests = { try await store.update().traffic.requests }
    #expect(try await [requests(), requests()] == [1, 1])
    fixture.publisher.pass(seconds: 3599)
    #expect(try await requests() == 1)
    fixture.publisher.pass(seconds: 1)
    #expect(try await [requests(), requests()] == [2, 1])
    // After a clock was set back, the elapsed time is unknown.
    fixture.publisher.pass(seconds: -7200)
    #expect(try await requests() == 2)
  }
}

/// An expensive and constrained network.
private struct SparedNetwork: Transport {
  let publisher: ClientPublisherSimulator

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    guard request.policy.allowsConstrained, request.policy.allowsExpensive else {
      throw TransportError.waiting(url: request.url.absoluteString)
    }
    try await publisher.send(request, to: receiver)
  }
}

extension UpdatePhase {
  fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }
}

extension [UpdatePhase] {
  fileprivate var names: [String] {
    reduce(into: []) { if $0.last != $1.name { $0.append($1.name) } }
  }
}
