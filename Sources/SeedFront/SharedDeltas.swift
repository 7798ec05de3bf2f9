import SeedSystem
import SeedTrust

/// The deltas that pages consist of. All pages share one copy of each, while any of them is being sent.
final class SharedDeltas: Sendable {
  final class Delta: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  private struct Known {
    weak var delta: Delta?
  }

  private struct State {
    var known: [String: Known] = [:]
    /// The count at which released deltas are dropped.
    var limit = leastLimit

    static let leastLimit = 64
  }

  private let state = Mutex(State())

  func delta(_ object: PublishedObject, read: (PublishedObject) throws -> [UInt8]) rethrows -> Delta {
    let path = object.filePath
    if let delta = state.withLock({ $0.known[path]?.delta }) { return delta }
    let found = Delta(try read(object))
    return state.withLock { state in
      if let other = state.known[path]?.delta { return other }
      if state.known.count >= state.limit {
        state.known = state.known.filter { $0.value.delta != nil }
        state.limit = State.leastLimit + 2 * state.known.count
      }
      state.known[path] = Known(delta: found)
      return found
    }
  }
}
