import SeedSystem

/// Caches the handler's reusable responses by target and coding. A hit for a plain request allocates nothing.
final class ResponseCache: Sendable {
  /// The maximum number of responses. Each may hold a descriptor, which ``DescriptorBudget`` counts.
  static let limit = 512
  static let bytesLimit = 32 * 1024 * 1024
  private static let largestShare = 3

  struct Entry {
    fileprivate let target: [UInt8]
    fileprivate let gzip: Bool
    /// The handler's response: for conditional requests, or for all if connections cannot share ``prepared``.
    /// Nil if ``prepared`` has a file's bytes in memory, so that the file's descriptor is released.
    let whole: HTTPResponse?
    /// Created when a plain request first needs it; always nil if connections cannot share it.
    let prepared: PreparedResponse?
    /// The 304 for a request whose only condition is `If-None-Match` with this tag.
    fileprivate var unchanged: (tag: [UInt8], response: PreparedResponse)?

    func unchanged(for tag: HeadText) -> PreparedResponse? {
      unchanged.flatMap { tag.elementsEqual($0.tag) ? $0.response : nil }
    }

    fileprivate func answers(_ target: HeadText, _ gzip: Bool) -> Bool {
      gzip == self.gzip && target.elementsEqual(self.target)
    }

    fileprivate var bytes: Int { (whole?.body.bytesInMemory ?? 0) + (prepared?.bytesInMemory ?? 0) }
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var bytes = 0
    var generation = 0
  }

  private let state = Mutex(State())

  func entry(_ target: HeadText, gzip: Bool) -> Entry? {
    let key = Self.hash(target, gzip)
    return state.withLock { state in state.entries[key].flatMap { $0.answers(target, gzip) ? $0 : nil } }
  }

  var bytes: Int { state.withLock { $0.bytes } }

  /// Read this before calling the handler, and pass it to ``keep(_:_:to:gzip:of:)``, which drops outdated responses.
  var generation: Int { state.withLock { $0.generation } }

  func keep(
    _ whole: HTTPResponse, _ prepared: PreparedResponse?, to target: HeadText, gzip: Bool, of generation: Int
  ) {
    let shared = prepared.flatMap { $0.isShareable ? $0 : nil }
    let entry = Entry(
      target: Array(target), gzip: gzip, whole: shared == nil || whole.body.isInMemory ? whole : nil,
      prepared: shared)
    let key = Self.hash(target, gzip)
    guard entry.bytes <= Self.bytesLimit / Self.largestShare else { return }
    state.withLock { state in
      guard state.generation == generation else { return }
      // Any entry may be requested next, so the whole cache is cleared, at the cost of one handler call per target.
      if state.entries.count >= Self.limit || state.bytes + entry.bytes > Self.bytesLimit {
        state = State(generation: generation)
      }
      let displaced = state.entries.updateValue(entry, forKey: key)
      state.bytes += entry.bytes - (displaced?.bytes ?? 0)
    }
  }

  /// Keeps the 304 with the response to the same target. `tag` is the response's tag, so an entry needs only one.
  func keep(
    unchanged: PreparedResponse, tag: String, to target: HeadText, gzip: Bool, of generation: Int
  ) {
    let key = Self.hash(target, gzip)
    state.withLock { state in
      guard state.generation == generation, state.entries[key]?.answers(target, gzip) == true else { return }
      state.entries[key]?.unchanged = (Array(tag.utf8), unchanged)
    }
  }

  func forget() {
    // The entries are released outside the lock, because freeing all responses takes time.
    let old = state.withLock { state in
      defer { state = State(generation: state.generation + 1) }
      return state.entries
    }
    withExtendedLifetime(old) {}
  }

  /// Two targets with the same hash only displace each other.
  private static func hash(_ target: HeadText, _ gzip: Bool) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(target))
    hasher.combine(gzip)
    return hasher.finalize()
  }
}

extension HTTPBody {
  /// An upper bound: a stream counts with its whole length, although it keeps only a part in memory.
  var bytesInMemory: Int { if case .file = self { 0 } else { Int(length) } }
}
