import SeedSystem

/// Answers that depend on nothing but their target, ready to be sent again, until all are forgotten.
///
/// Nothing is made for a request that finds its answer here: no string, no headers, no copy of a body.
final class AnswerCache: Sendable {
  /// Answers that are kept; each may hold a descriptor, which ``DescriptorBudget`` counts.
  static let limit = 512
  /// Bytes of all bodies that are kept in memory.
  static let bytesLimit = 16 * 1024 * 1024

  private struct Entry {
    let target: [UInt8]
    let gzip: Bool
    let answer: PreparedResponse
  }

  private struct State {
    var answers: [UInt64: Entry] = [:]
    var bytes = 0
    var generation = 0

    mutating func removeAll() {
      answers.removeAll(keepingCapacity: true)
      bytes = 0
    }
  }

  private let state = Mutex(State())

  /// The answer to GET or HEAD of that target, from a client that prefers gzip or does not.
  func answer(to target: LentText, gzip: Bool) -> PreparedResponse? {
    let key = Self.hash(target, gzip)
    return state.withLock { state in
      guard let found = state.answers[key], found.gzip == gzip, target.elementsEqual(found.target)
      else { return nil }
      return found.answer
    }
  }

  /// What to give back with an answer that is made from now on.
  var generation: Int { state.withLock { $0.generation } }

  /// Keeps an answer, unless all were forgotten since its making began.
  func keep(_ answer: PreparedResponse, to target: LentText, gzip: Bool, of generation: Int) {
    let (key, target) = (Self.hash(target, gzip), Array(target))
    state.withLock { state in
      guard state.generation == generation else { return }
      let bytes = answer.bytesInMemory
      guard bytes <= Self.bytesLimit / 4 else { return }
      // Nothing tells which ones will be asked for again: to begin anew costs each of them one request.
      if state.answers.count >= Self.limit || state.bytes + bytes > Self.bytesLimit { state.removeAll() }
      let displaced = state.answers.updateValue(
        Entry(target: target, gzip: gzip, answer: answer), forKey: key)
      state.bytes += bytes - (displaced?.answer.bytesInMemory ?? 0)
    }
  }

  /// Forgets all answers: what they were made of has changed.
  func forget() {
    // Kept past the lock, in which the last reference would free them all.
    let old = state.withLock { state in
      defer { state = State(generation: state.generation + 1) }
      return state.answers
    }
    withExtendedLifetime(old) {}
  }

  /// Forgets answers of files that are no longer what they were when they were opened.
  func forgetReplacedFiles() {
    let files = state.withLock { state in state.answers.compactMapValues(\.answer.file) }
    // Without the lock: requests do not wait for the disk.
    let replaced = files.filter { !$0.value.isCurrent }
    let old = state.withLock { state in
      replaced.compactMap { key, file in
        state.answers[key]?.answer.file == file ? state.answers.removeValue(forKey: key) : nil
      }
    }
    withExtendedLifetime(old) {}
  }

  /// FNV-1a. Who finds two targets of one hash among those that are published makes each of them displace the
  /// other, and no more.
  private static func hash(_ target: LentText, _ gzip: Bool) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ (gzip ? 1 : 0)
    for byte in target { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
