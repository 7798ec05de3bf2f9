import SeedHTTP
import SeedSystem

/// Numbers for names that recur, from 1; 0 stands for all that found no more room.
final class NameRegister: Sendable {
  private struct State {
    var places: [String: Int] = [:]
    var names: [String] = []
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func place(of name: String) -> Int {
    state.withLock { state in
      if let known = state.places[name] { return known }
      guard state.names.count < limit else { return 0 }
      state.names.append(name)
      state.places[name] = state.names.count
      return state.names.count
    }
  }

  /// The name at that place; "" for 0.
  func name(at place: Int) -> String {
    state.withLock { $0.names.indices.contains(place - 1) ? $0.names[place - 1] : "" }
  }
}
