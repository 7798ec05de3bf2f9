import Dispatch
import SeedSystem

/// Delivers signals that end the process. Dispatch's own signal sources lose some: one that arrives before they listen,
/// and a second one during their cancellation.
final class SignalListeners: Sendable {
  static let shared = Result { try SignalListeners() }

  private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Int32>.Continuation])>((0, [:]))
  // Dispatch's sources are thread-safe, which their Swift type does not declare.
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
  // The second signal has its default effect.
  handleStopSignals(by: SIG_DFL)
  var byte = UInt8(number)
  _ = write(signalPipe, &byte, 1)
  errno = error
}
