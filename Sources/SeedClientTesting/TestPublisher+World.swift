public import Foundation
public import SeedClient
import SeedSystem

extension TestPublisher {
  private static let expiryDays = 8

  private static let server = "http://seeds.example"

  // MARK: Stores

  /// A store on a new device, or in `directory`: stores made there one after another simulate restarts of an app.
  /// Downloads have no timeouts; use ``TestFailure/slow``.
  public func store(
    in directory: URL? = nil, bundle: URL? = nil, options: SeedOptions = SeedOptions()
  ) throws -> SeedStore {
    try SeedStore(
      model, server: Self.address, root: root, bundle: bundle?.path,
      directory: directory?.path ?? folder("device-\(UUID().uuidString)"), options: withoutTimeouts(options),
      environment: environment)
  }

  /// A read-only store on another store's directory, as in an app extension.
  public func store(
    reading directory: URL, options: SeedOptions = SeedOptions()
  ) throws -> SeedStore {
    try SeedStore(
      model, reading: directory.path, options: withoutTimeouts(options), environment: environment)
  }

  /// Makes the bundle that an app would ship now; removed with the publisher.
  public func makeBundle() async throws -> URL {
    let path = folder("bundle-\(UUID().uuidString)")
    _ = try await BundleMaker(
      model, server: Self.address, root: root, directory: path, options: withoutTimeouts(SeedOptions()),
      environment: environment
    ).make()
    return URL(fileURLWithPath: path, isDirectory: true)
  }

  private static var address: URL {
    guard let address = URL(string: server) else { preconditionFailure("\(server) is an address") }
    return address
  }

  private func withoutTimeouts(_ options: SeedOptions) -> SeedOptions {
    var options = options
    (options.timeouts.window, options.timeouts.total) = (ScriptedClock.never, ScriptedClock.never)
    return options
  }

  /// Retains the publisher, and so its folders.
  private var environment: Environment {
    Environment(
      transport: host,
      now: { [self] in failure == .expired ? clock.time.adding(days: Self.expiryDays) : clock.time },
      sleep: { [clock] in try await clock.sleep($0) },
      chance: { 0.5 },
      uptime: { [clock] in clock.uptime },
      freeBytes: { [self] in failure == .fullDisk ? 0 : Environment.freeBytes(in: $0) })
  }

  // MARK: Failures

  /// The current failure; `nil` for none.
  public var failure: TestFailure? {
    get { host.withServed { $0.failure } }
    set { host.withServed { $0.failure = newValue } }
  }

  /// Sets the failure while `body` runs.
  @discardableResult
  public func failing<Result>(
    _ failure: TestFailure, _ body: () async throws -> Result
  ) async throws -> Result {
    let before = self.failure
    self.failure = failure
    defer { self.failure = before }
    return try await body()
  }

  // MARK: Pausing updates

  /// The point at which updates pause.
  public enum Stop: Hashable, Sendable {
    /// Before the first request.
    case checking
    /// After half of the first file.
    case downloading
  }

  /// Pauses updates at `stop` until ``release()``. Cancelled updates end.
  public func hold(_ stop: Stop) {
    gate.close()
    host.withServed { [gate, clock] served in
      switch stop {
      case .checking: served.hold = { _ in try await gate.pass() }
      case .downloading:
        // Progress is only reported as time passes.
        served.hold = { if MemoryHost.isObject($0) { clock.advance(by: .seconds(1)) } }
        served.pause = { try await gate.pass() }
      }
    }
  }

  /// Returns once an update is paused.
  public func untilHeld() async { await gate.untilWaiting() }

  /// Resumes all updates.
  public func release() {
    host.withServed { served in (served.hold, served.pause) = (nil, nil) }
    gate.open()
  }
}

extension SeedStore {
  /// A preview store with these rows, without a network; with a failure, it never has data.
  ///
  /// Traps with a message if the schema or the rows are wrong.
  public static func preview(
    schema: String, failure: TestFailure? = nil, rows: (inout RowChanges) throws -> Void = { _ in }
  ) -> SeedStore {
    do {
      let publisher = try TestPublisher(schema: schema)
      try publisher.publish(rows)
      publisher.failure = failure
      let store = try publisher.store()
      // A live query does not contact the server: it waits for this data.
      Task { try? await store.prepare() }
      return store
    } catch { fatalError("this preview has no data: \(error)") }
  }
}
