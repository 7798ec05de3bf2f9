import SeedSystem

/// Sends elements to any number of streams.
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

  /// A slow listener loses the oldest elements beyond `mostWaiting`. If `replaysLatest` is set, each new stream
  /// begins with the latest element.
  init(mostWaiting: Int, replaysLatest: Bool = false) {
    (self.mostWaiting, self.replaysLatest) = (mostWaiting, replaysLatest)
  }

  deinit { finish() }

  /// Ends all streams, including later ones.
  func finish() {
    // Finishes the streams outside the lock, because each then calls `onTermination`, which takes the lock.
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

  var latest: Element? {
    get { state.withLock(\.latest) }
    set { state.withLock { $0.latest = newValue } }
  }

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
