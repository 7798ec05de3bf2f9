import SeedSystem

/// The handler's reusable responses, by target and coding, until all are forgotten. For a plain request that finds
/// its response here nothing is made: no string, no headers, no copy of a body.
final class AnswerCache: Sendable {
  /// Responses that are kept; each may hold a descriptor, which ``DescriptorBudget`` counts.
  static let limit = 512
  static let bytesLimit = 32 * 1024 * 1024
  private static let largestShare = 3

  private struct Entry {
    let target: [UInt8]
    let gzip: Bool
    /// As the handler made it, for requests with conditions and for what connections cannot share. Not a file that
    /// ``prepared`` has read: it would hold a descriptor for nothing.
    let whole: HTTPResponse?
    /// As libmicrohttpd sends it; nil until a plain request came, and for what connections cannot share.
    let prepared: PreparedResponse?

    var file: OpenFile.Identity? { whole?.body.file ?? prepared?.file }

    var bytes: Int { (whole?.body.bytesInMemory ?? 0) + (prepared?.bytesInMemory ?? 0) }
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var bytes = 0
    var generation = 0
  }

  private let state = Mutex(State())

  func prepared(_ target: HeadText, gzip: Bool) -> PreparedResponse? { entry(target, gzip)?.prepared }

  func whole(_ target: HeadText, gzip: Bool) -> HTTPResponse? { entry(target, gzip)?.whole }

  private func entry(_ target: HeadText, _ gzip: Bool) -> Entry? {
    let key = Self.hash(target, gzip)
    return state.withLock { state in
      guard let entry = state.entries[key], entry.gzip == gzip, target.elementsEqual(entry.target) else {
        return nil
      }
      return entry
    }
  }

  var bytes: Int { state.withLock { $0.bytes } }

  /// To be read before the handler is called, and passed to ``keep(_:_:to:gzip:of:)`` with its response.
  var generation: Int { state.withLock { $0.generation } }

  func keep(
    _ whole: HTTPResponse, _ prepared: PreparedResponse?, to target: HeadText, gzip: Bool, of generation: Int
  ) {
    let shared = prepared.flatMap { $0.isShareable ? $0 : nil }
    let entry = Entry(
      target: Array(target), gzip: gzip, whole: whole.body.file == nil || shared == nil ? whole : nil,
      prepared: shared)
    let key = Self.hash(target, gzip)
    guard entry.bytes <= Self.bytesLimit / Self.largestShare else { return }
    state.withLock { state in
      guard state.generation == generation else { return }
      // Nothing tells which ones will be asked for again: to begin anew costs each of them one request.
      if state.entries.count >= Self.limit || state.bytes + entry.bytes > Self.bytesLimit {
        state = State(generation: generation)
      }
      let displaced = state.entries.updateValue(entry, forKey: key)
      state.bytes += entry.bytes - (displaced?.bytes ?? 0)
    }
  }

  func forget() {
    // Kept past the lock, in which the last reference would free them all.
    let old = state.withLock { state in
      defer { state = State(generation: state.generation + 1) }
      return state.entries
    }
    withExtendedLifetime(old) {}
  }

  func forgetReplacedFiles() {
    let files = state.withLock { state in state.entries.compactMapValues(\.file) }
    // Without the lock: requests do not wait for the disk.
    let replaced = files.filter { !$0.value.isCurrent }
    let old = state.withLock { state in
      replaced.compactMap { key, file in
        state.entries[key]?.file == file ? state.entries.removeValue(forKey: key) : nil
      }
    }
    withExtendedLifetime(old) {}
  }

  /// FNV-1a. A client that finds two published targets of one hash makes each of them displace the other, and no more.
  private static func hash(_ target: HeadText, _ gzip: Bool) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ (gzip ? 1 : 0)
    for byte in target { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}

extension HTTPBody {
  var file: OpenFile.Identity? {
    if case .file(let file, _, _) = self { file.identity } else { nil }
  }

  /// Bytes that it takes at most; a stream is made of fewer bytes than it sends.
  var bytesInMemory: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .stream(let length, _): Int(length)
    case .empty, .file: 0
    }
  }
}
