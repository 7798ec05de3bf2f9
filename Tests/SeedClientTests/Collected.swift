import SeedSystem

final class Collected<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Collects the elements of a sequence until it ends or fails.
  init(_ sequence: some AsyncSequence<Element, any Error> & Sendable) {
    Task {
      do {
        for try await element in sequence { add(element) }
      } catch {}
      end()
    }
  }

  init(_ sequence: some AsyncSequence<Element, Never> & Sendable) {
    Task {
      for await element in sequence { add(element) }
      end()
    }
  }

  var all: [Element] { state.withLock(\.elements) }
  var isOver: Bool { state.withLock(\.isOver) }

  private func add(_ element: Element) { state.withLock { $0.elements.append(element) } }
  private func end() { state.withLock { $0.isOver = true } }
}
