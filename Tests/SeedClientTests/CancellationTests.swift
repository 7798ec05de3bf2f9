import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// An app in the background gets some seconds before its tasks are cancelled.
@Suite struct CancellationTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
  }

  @Test func `cancelling while changes are applied keeps snapshot and deltas`() async throws {
    try fixture.publisher.publish(["a": "Alex"])
    let isFirst = Shared(true)
    var options = SeedOptions()
    options.onPhase = { phase in
      guard case .applying = phase, isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      withUnsafeCurrentTask { $0?.cancel() }
    }
    let store = try fixture.store(options: options)
    #expect(await code { try await store.update() } == .cancelled)
    #expect(try fixture.names("partial").count == 2)
    fixture.publisher.withServed { $0.requests = [] }
    try await store.update()
    #expect(fixture.publisher.withServed { !$0.requests.contains { $0.hasPrefix("targets/") } })
    #expect(try await store.stops() == ["Alex"])
    #expect(try fixture.names("partial").isEmpty)
  }

  @Test func `a full disk keeps the download and other errors delete it`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    for (number, files) in [(EIO, 0), (ENOSPC, 1)] {
      try fixture.publisher.startEpoch()
      let fetched = try await Download(fixture.lastSnapshot, for: #require(await store.fetcher)).run()
      #expect(throws: FileError.self) {
        try fetched.using { throw FileError("write", "seed.sqlite", number) }
      }
      #expect(try fixture.names("partial").count == files)
    }
  }

  @Test func `a full disk also keeps the start of a download`() async throws {
    for (number, error, files) in [(EIO, SeedError.Code.io, 0), (ENOSPC, .insufficientSpace, 1)] {
      let store = try fixture.store { $0.transport = FailingDisk(server: $0.transport, number: number) }
      #expect(await code { try await store.update() } == error)
      #expect(try fixture.names("partial").count == files)
      await store.close()
    }
  }

  @Test func `hashing a partial download ends with its task and keeps the file`() async throws {
    let (object, folder) = (try fixture.lastSnapshot, fixture.folder.path)
    let path = "\(folder)/\(PartialFile.name(of: object))"
    try DurableFile.write([1, 2, 3], to: path)
    #expect(try PartialFile(object, in: folder, mode: 0o600).length == 3)
    let opening = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try PartialFile(object, in: folder, mode: 0o600).length
    }
    await #expect(throws: CancellationError.self) { try await opening.value }
    #expect(try FileStamp(path)?.size == 3)
  }

  @Test func `a delta's unreadable file is not blamed on the data`() async throws {
    let store = try fixture.store()
    try await store.update()
    try fixture.publisher.publish(["a": "Alex"])
    try Folder.create(fixture.folder("unreadable"))
    let delta = FetchedObject(object: try fixture.lastDelta, path: fixture.folder("unreadable"))
    let generation = try await store.requireCurrent()
    await #expect(throws: FileError.self) { try await store.writer.apply([delta], to: generation) }
  }

  // MARK: Waiting

  @Test func `waiting for a first download ends on cancellation`() async throws {
    let store = try fixture.store()
    let gate = fixture.hold()
    let update = Task { await code { try await store.update() } }
    await gate.untilWaiting()
    let read = Task { await code { _ = try await store.stops() } }
    read.cancel()
    #expect(await read.value == .cancelled)
    update.cancel()
    #expect(await update.value == .cancelled)
    gate.open()
    #expect(try await store.stops() == ["Alexanderplatz"])
  }

  @Test func `keepUpdated ends on cancellation while waiting, while updating and while suspended`()
    async throws
  {
    let waits = try fixture.store { environment in
      environment.sleep = { try await Task.sleep(for: $0) }
    }
    try await waits.update()
    let waiting = Task<Void, any Error> { try await waits.keepUpdated() }
    waiting.cancel()
    #expect(await code { try await waiting.value } == .cancelled)
    let gate = fixture.hold()
    let updating = Task<Void, any Error> { try await waits.keepUpdated() }
    await gate.untilWaiting()
    updating.cancel()
    #expect(await code { try await updating.value } == .cancelled)
    fixture.publisher.withServed { $0.hold = nil }
    await waits.suspend()
    let suspended = Task<Void, any Error> { try await waits.keepUpdated() }
    suspended.cancel()
    #expect(await code { try await suspended.value } == .cancelled)
    await waits.resume()
    #expect(try await waits.stops() == ["Alexanderplatz"])
  }

  @Test func `a sequence of rows ends without an error on cancellation`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let (reached, arrivals) = AsyncStream.makeStream(of: Void.self)
    let following = Task {
      for try await _ in store.observe("SELECT name FROM stop") { arrivals.yield() }
    }
    var arrival = reached.makeAsyncIterator()
    await arrival.next()
    following.cancel()
    try await following.value
  }
}

/// Fails to write a file after its first bytes.
private struct FailingDisk: Transport {
  let server: any Transport
  let number: Int32

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    guard request.text.contains("/targets/") else { return try await server.send(request, to: receiver) }
    let failing = ResponseReceiver(head: receiver.head) { bytes in
      try receiver.body(Array(bytes.prefix(10)))
      throw FileError("write", "part", number)
    }
    try await server.send(request, to: failing)
  }
}
