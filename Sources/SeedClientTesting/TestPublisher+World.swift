public import Foundation
public import SeedClient
import SeedSystem

extension TestPublisher {
  /// Whatever is signed has expired after so many days without a new signature.
  private static let expiryDays = 8

  private static let server = "http://seeds.example"

  // MARK: Stores

  /// A store on a new device: it gets all that it has from this publisher, whom it keeps for as long as it lives.
  ///
  /// - Parameters:
  ///   - directory: Where its data lies. If `nil`, it is a new folder, in memory where the system has such folders, which
  ///     is removed with the publisher. Stores that are made one after the other in one directory play an app that
  ///     is started again.
  ///   - bundle: What the app brought along, made by ``makeBundle()``.
  ///   - options: Further choices. Timeouts do not count: ``TestFailure/slow`` stands for them.
  public func store(
    in directory: URL? = nil, bundle: URL? = nil, options: SeedOptions = SeedOptions()
  ) throws(SeedError) -> SeedStore {
    try SeedStore(
      model, server: Self.address, root: root, bundle: bundle?.path,
      directory: directory?.path ?? folder("device-\(UUID().uuidString)"), options: withoutTimeouts(options),
      environment: environment)
  }

  /// A store that only reads what another one keeps in a directory, as an extension of the app does.
  public func store(
    reading directory: URL, options: SeedOptions = SeedOptions()
  ) throws(SeedError) -> SeedStore {
    try SeedStore(
      model, reading: directory.path, options: withoutTimeouts(options), environment: environment)
  }

  /// A folder with what is published now, as an app ships it; it is removed with the publisher.
  public func makeBundle() async throws(SeedError) -> URL {
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

  /// It holds the publisher, and so its folders.
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

  /// How everything fails from now on, until it is `nil` again.
  public var failure: TestFailure? {
    get { host.withServed { $0.failure } }
    set { host.withServed { $0.failure = newValue } }
  }

  /// Everything fails while `body` runs.
  @discardableResult
  public func failing<Result>(
    _ failure: TestFailure, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let before = self.failure
    self.failure = failure
    defer { self.failure = before }
    return try await body()
  }

  // MARK: Standing still

  /// Where an update stands still.
  public enum Stop: Hashable, Sendable {
    /// Before it hears what is new.
    case checking
    /// With half of its first file downloaded.
    case downloading
  }

  /// Lets updates go no further than this, until ``release()``. One that is cancelled meanwhile ends.
  public func hold(_ stop: Stop) {
    gate.close()
    host.withServed { [gate, clock] served in
      switch stop {
      case .checking: served.hold = { _ in try await gate.pass() }
      case .downloading:
        // Progress is told as time passes.
        served.hold = { if MemoryHost.isObject($0) { clock.advance(by: .seconds(1)) } }
        served.pause = { try await gate.pass() }
      }
    }
  }

  /// Returns once an update stands still.
  public func untilHeld() async { await gate.untilSomebodyStands() }

  /// Lets all updates go on.
  public func release() {
    host.withServed { served in (served.hold, served.pause) = (nil, nil) }
    gate.open()
  }
}
