import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support

/// An object store in memory, with faults of requests.
final class ModelBucket: MirrorStore {
  enum Fault: CaseIterable {
    /// The request never arrives.
    case timeoutBefore
    /// The request succeeds, but its response is lost.
    case timeoutAfter
    /// Only a part of the body arrives; the store keeps none of it.
    case cutBody
    case unavailable
    case unmet
    case disputed
    /// The publisher dies before or after the request.
    case killBefore, killAfter
  }

  struct Killed: Error {}

  struct State {
    var files: [String: [UInt8]] = [:]
    var requests = 0
    var puts = 0
    var kept: Set<String> = []
    var quota = Int.max
    var fault: (at: Int, kind: Fault)?
    var interruption: (at: Int, work: @Sendable () -> Void)?
  }

  let place = "a bucket in memory"
  private let state = Mutex(State())
  /// Called after each request, whether it succeeded or not.
  private let watch: @Sendable ([String: [UInt8]]) -> Void

  init(watch: @escaping @Sendable ([String: [UInt8]]) -> Void = { _ in }) { self.watch = watch }

  var files: [String: [UInt8]] {
    get { state.withLock { $0.files } }
    set { state.withLock { $0.files = newValue } }
  }

  var requests: Int { state.withLock { $0.requests } }
  var puts: Int { state.withLock { $0.puts } }

  /// Lets the request of that number fail; 0 is the next one.
  func arm(_ fault: Fault, at number: Int) { state.withLock { $0.fault = ($0.requests + number, fault) } }

  /// Permits no removal of these files.
  func keep(_ paths: [String]) { state.withLock { $0.kept = Set(paths) } }

  /// Permits no more bytes than the bucket holds now.
  func fill() { state.withLock { $0.quota = $0.files.values.reduce(0) { $0 + $1.count } } }

  /// Runs a closure before the request of that number, for example another publisher's; 0 is the next one.
  func interrupt(at number: Int, _ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.interruption = ($0.requests + number, work) }
  }

  func disarm() { state.withLock { ($0.fault, $0.interruption) = (nil, nil) } }

  var isArmed: Bool { state.withLock { $0.fault != nil } }

  private func next() -> Fault? {
    interruption?()
    return state.withLock { state in
      defer { state.requests += 1 }
      guard let fault = state.fault, fault.at == state.requests else { return nil }
      state.fault = nil
      return fault.kind
    }
  }

  private var interruption: (@Sendable () -> Void)? {
    state.withLock { state in
      guard let due = state.interruption, due.at == state.requests else { return nil }
      state.interruption = nil
      return due.work
    }
  }

  private func ask() throws {
    switch next() {
    case nil: return
    case .killBefore, .killAfter: throw Killed()
    case .some: throw MirrorError.away("no answer")
    }
  }

  func list() throws -> [String: Int] {
    try ask()
    return files.mapValues(\.count)
  }

  func read(_ path: String) throws -> StoredFile? {
    try ask()
    return files[path].map { StoredFile($0, tag: Self.tag($0)) }
  }

  func length(_ path: String) throws -> Int? {
    try ask()
    return files[path]?.count
  }

  func remove(_ path: String) throws {
    defer { watch(files) }
    try ask()
    try state.withLock { state throws(MirrorError) in
      guard !state.kept.contains(path) else { throw MirrorError.refused("no permission") }
      state.files[path] = nil
    }
  }

  func isPublic(_ path: String) -> Bool? { nil }
  func download(_ path: String, bytes: Int, to sink: String) -> SHA256Digest? { nil }

  func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply {
    defer { watch(files) }
    let bytes =
      switch file.content {
      case .bytes(let bytes): bytes
      case .file(let path): try DurableFile.read(path, limit: file.length)
      }
    let fault = next()
    switch fault {
    case nil: return try take(bytes, file, condition)
    case .timeoutAfter:
      _ = try take(bytes, file, condition)
      return .outcomeUnknown("timeout")
    case .killAfter:
      _ = try take(bytes, file, condition)
      throw Killed()
    case .killBefore: throw Killed()
    case .timeoutBefore, .cutBody, .unavailable: return .outcomeUnknown("503")
    case .unmet: return .unmet
    case .disputed: return .disputed
    }
  }

  private func take(_ bytes: [UInt8], _ file: MirrorFile, _ condition: PutCondition) throws(MirrorError)
    -> PutReply
  {
    try state.withLock { state throws(MirrorError) in
      state.puts += 1
      switch (condition, state.files[file.path]) {
      case (.absent, .some): return .unmet
      case (.tag, nil): return .absent
      case (.tag(let tag), let found?) where tag != Self.tag(found): return .unmet
      default:
        let others = state.files.reduce(0) { $0 + ($1.key == file.path ? 0 : $1.value.count) }
        guard others + bytes.count <= state.quota else { throw MirrorError.refused("no room") }
        state.files[file.path] = bytes
        return .done(tag: Self.tag(bytes))
      }
    }
  }

  private static func tag(_ bytes: [UInt8]) -> String { SHA256Digest.of(bytes).hex }
}
