import SeedHTTP
import SeedSystem

/// The last answers of `changes`: most clients poll from the same few versions.
///
/// What was made first goes first. With each publication all keys are new, so nothing stays for long.
final class ChangesCache: Sendable {
  private struct State {
    var pages: [ChangesKey: ChangesPage] = [:]
    var order: [ChangesKey] = []
    var bytes = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Keeps at most `limit` bytes of bodies.
  init(limit: Int = FrontLimits.changesCacheBytes) { self.limit = limit }

  subscript(key: ChangesKey) -> ChangesPage? { state.withLock { $0.pages[key] } }

  /// Bytes of all bodies.
  var bytes: Int { state.withLock { $0.bytes } }

  /// A page too large to share the room with others is not kept.
  func keep(_ page: ChangesPage, as key: ChangesKey) {
    let size = page.gzip.bytes.count
    guard size <= limit / FrontLimits.changesCacheShare else { return }
    state.withLock { state in
      // Two threads may have made the same page at once; the first one stays.
      guard state.pages[key] == nil else { return }
      state.pages[key] = page
      state.order.append(key)
      state.bytes += size
      var dropped = 0
      while state.bytes > limit {
        let oldest = state.order[dropped]
        state.bytes -= state.pages.removeValue(forKey: oldest)?.gzip.bytes.count ?? 0
        dropped += 1
      }
      state.order.removeFirst(dropped)
    }
  }
}
