import Dispatch
import SeedSystem

/// Waits for SIGTERM or SIGINT. Create it before the work that it stops: until then, a signal kills the process. After
/// the first signal the default is restored, so that a second one ends the process at once.
struct StopSignals: Sendable {
  private let arrivals: AsyncStream<Int32>
  private let arrival: AsyncStream<Int32>.Continuation

  init() throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Int32.self)
    (self.arrivals, self.arrival) = (arrivals, arrival)
    let listeners = try SignalListeners.shared.get()
    let listener = listeners.add(arrival)
    arrival.onTermination = { _ in listeners.remove(listener) }
  }

  /// Has the effect of a first SIGTERM; none after a signal, so it never ends the process at once.
  func stop() { arrival.yield(SIGTERM) }

  func first() async -> Int32? {
    defer { arrival.finish() }
    return await arrivals.first { _ in true }
  }

  /// Runs `body`; on a signal, cancels it and waits for it to end. Returns nil if it was cancelled.
  @discardableResult
  func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
    -> Value?
  {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        do { return try await body() } catch is CancellationError { return nil }
      }
      group.addTask {
        _ = await first()
        return nil
      }
      // The first task that ends, the body or the wait for a signal, cancels the other one.
      let value = try await group.next() ?? nil
      group.cancelAll()
      return try await group.reduce(value) { $0 ?? $1 }
    }
  }

  private static let received = Mutex<Int32?>(nil)

  /// Seconds after which the process exits if the signal has not ended it.
  private static let exitSeconds: UInt32 = 5

  /// Call it before cleanup, so that ``endProcess()`` treats every later failure as a consequence of the signal.
  static func beginCleanup(after signal: Int32) { received.withLock { $0 = signal } }

  /// After ``beginCleanup(after:)``, ends the process with the signal's default effect; otherwise returns.
  static func endProcess() {
    guard let number = received.withLock(\.self) else { return }
    signal(number, SIG_DFL)
    // Sent to the process, because pool threads block signals; another thread receives it.
    kill(getpid(), number)
    sleep(exitSeconds)
    _exit(128 + number)
  }
}

/// Delivers signals that end the process. Dispatch's signal sources would lose a signal that arrives before they listen,
/// and a second one that arrives while they are being cancelled.
final class SignalListeners: Sendable {
  static let shared = Result { try SignalListeners() }

  private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Int32>.Continuation])>((0, [:]))
  // Dispatch's sources are thread-safe, but their Swift type is not Sendable.
  nonisolated(unsafe) private let source: any DispatchSourceRead

  private init() throws(FileError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FileError("open", "a pipe for signals") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    signalPipe = ends[1]
    source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
    source.setEventHandler { [unowned self] in
      var number: UInt8 = 0
      while read(ends[0], &number, 1) == 1 { report(Int32(number)) }
    }
    source.activate()
  }

  private func report(_ number: Int32) {
    for listener in listeners.withLock({ $0.all.values }) { listener.yield(number) }
  }

  func add(_ listener: AsyncStream<Int32>.Continuation) -> Int {
    listeners.withLock {
      $0.next += 1
      $0.all[$0.next] = listener
      handleStopSignals(by: noteSignal)
      return $0.next
    }
  }

  func remove(_ listener: Int) {
    listeners.withLock {
      $0.all[listener] = nil
      if $0.all.isEmpty { handleStopSignals(by: SIG_DFL) }
    }
  }
}

/// Written once, before a handler can read it.
@exclusivity(unchecked) nonisolated(unsafe) private var signalPipe: Int32 = -1

private func handleStopSignals(by handler: (@convention(c) (Int32) -> Void)?) {
  signal(SIGTERM, handler)
  signal(SIGINT, handler)
}

/// Runs in the interrupted thread, so it calls only async-signal-safe functions.
private let noteSignal: @convention(c) (Int32) -> Void = { number in
  let error = errno
  // A second signal then has its default effect.
  handleStopSignals(by: SIG_DFL)
  var byte = UInt8(number)
  _ = write(signalPipe, &byte, 1)
  errno = error
}
