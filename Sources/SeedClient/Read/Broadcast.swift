import Synchronization

/// One sender, any number of listeners; a new one may hear the latest at once.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var nextListener = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  /// The elements that wait for a listener who is busy.
  enum Buffering {
    /// The latest alone, also where it was sent before the listener came.
    case latest
    /// All that were sent since the listener came, up to a number; of more the oldest are left out.
    case newest(Int)
  }

  private let buffering: Buffering
  private let state = Mutex(State())

  init(_ buffering: Buffering) { self.buffering = buffering }

  deinit {
    // Ending a stream calls back into its removal, which takes the lock.
    let listeners = state.withLock { $0.listeners.values.map { $0 } }
    for listener in listeners { listener.finish() }
  }

  /// Sends an element to everyone.
  func send(_ element: Element) {
    state.withLock { state in
      state.latest = element
      for listener in state.listeners.values { listener.yield(element) }
    }
  }

  /// Changes the element that the next listener will hear first.
  func replaceLatest(_ element: Element) { state.withLock { $0.latest = element } }

  /// A new listener's elements; they end with the sender.
  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
    let listener = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      if case .latest = buffering, let latest = state.latest { continuation.yield(latest) }
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[listener] = nil }
    }
    return stream
  }

  private var policy: AsyncStream<Element>.Continuation.BufferingPolicy {
    switch buffering {
    case .latest: .bufferingNewest(1)
    case .newest(let count): .bufferingNewest(count)
    }
  }
}
