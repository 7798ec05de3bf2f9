import SeedSystem

final class Collected<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Collects the elements of a sequence until it ends or fails.
  init<Elements: AsyncSequence & Sendable>(_ sequence: Elements) where Elements.Element == Element {
    Task {
      do {
        for try await element in sequence { add(element) }
      } catch {}
      end()
    }
  }

  var all: [Element] { state.withLock(\.elements) }
  var isOver: Bool { state.withLock(\.isOver) }

  private func add(_ element: Element) { state.withLock { $0.elements.append(element) } }
  private func end() { state.withLock { $0.isOver = true } }
}
