import SeedDatabase
import SeedSystem

/// One sender, any number of listeners; a new one may hear the latest at once.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var nextListener = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  /// What a listener gets of what was sent while it was busy.
  enum Patience {
    /// The latest alone, also of what was sent before it came.
    case latest
    /// All of it, from when it came, up to a number; of more the oldest is left out.
    case newest(Int)
  }

  private let patience: Patience
  private let state = Mutex(State())

  init(_ patience: Patience) { self.patience = patience }

  deinit {
    // Ending a stream calls back into its removal, which takes the lock.
    let listeners = state.withLock { $0.listeners.values.map { $0 } }
    for listener in listeners { listener.finish() }
  }

  /// Tells everyone.
  func send(_ element: Element) {
    state.withLock { state in
      state.latest = element
      for listener in state.listeners.values { listener.yield(element) }
    }
  }

  /// Changes what the next listener will hear first.
  func replaceLatest(_ element: Element) { state.withLock { $0.latest = element } }

  /// A listener of its own; it ends with the sender.
  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
    let listener = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      if case .latest = patience, let latest = state.latest { continuation.yield(latest) }
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[listener] = nil }
    }
    return stream
  }

  private var buffering: AsyncStream<Element>.Continuation.BufferingPolicy {
    switch patience {
    case .latest: .bufferingNewest(1)
    case .newest(let count): .bufferingNewest(count)
    }
  }
}
