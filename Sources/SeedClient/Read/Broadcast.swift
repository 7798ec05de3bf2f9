import SeedSystem

/// One sender, any number of listeners; a new one may hear the latest at once.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var nextListener = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    var isOver = false
  }

  private let mostWaiting: Int
  private let replaysLatest: Bool
  private let state = Mutex(State())

  /// Of more elements than `mostWaiting` a busy listener misses the oldest; `replaysLatest` to those who come later.
  init(mostWaiting: Int, replaysLatest: Bool = false) {
    (self.mostWaiting, self.replaysLatest) = (mostWaiting, replaysLatest)
  }

  deinit { finish() }

  /// Ends all streams, those that are still to be asked for as well.
  func finish() {
    // Ending a stream calls back into its removal, which takes the lock.
    let listeners = state.withLock { state in
      state.isOver = true
      state.latest = nil
      return state.listeners.values.map { $0 }
    }
    for listener in listeners { listener.finish() }
  }

  func send(_ element: Element) {
    state.withLock { state in
      state.latest = element
      for listener in state.listeners.values { listener.yield(element) }
    }
  }

  /// What was sent last, if anything.
  var latest: Element? { state.withLock(\.latest) }

  /// Changes the element that the next listener will hear first.
  func replaceLatest(_ element: Element) { state.withLock { $0.latest = element } }

  /// The next listener hears nothing before something is sent.
  func forgetLatest() { state.withLock { $0.latest = nil } }

  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(mostWaiting))
    let listener: Int? = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      if replaysLatest, let latest = state.latest { continuation.yield(latest) }
      return state.isOver ? nil : state.nextListener
    }
    guard let listener else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[listener] = nil }
    }
    return stream
  }
}
