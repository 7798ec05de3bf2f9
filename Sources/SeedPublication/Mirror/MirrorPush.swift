import SeedFormat
package import SeedSystem
import SeedTrust

/// Makes a mirror equal to an image, one request at a time. The memory is correct after every request.
package struct MirrorPush {
  private let store: any MirrorStore
  private let image: MirrorImage
  private let options: MirrorOptions
  /// The start of the push.
  private let now: UTCTime
  var begun = ContinuousClock.now
  private let remember: (MirrorMemory) throws -> Void
  package private(set) var memory: MirrorMemory
  package private(set) var report = MirrorReport()

  /// The number of attempts per request if the store does not answer.
  static let attempts = 3
  /// The number of failed removals after which a push ends.
  static let mostLeftovers = 10

  /// `remember` saves the memory, so that it survives the end of the process. It is called before the timestamp is
  /// written.
  package init(
    _ image: MirrorImage, to store: any MirrorStore, _ memory: MirrorMemory, _ options: MirrorOptions,
    now: UTCTime, remember: @escaping (MirrorMemory) throws -> Void
  ) {
    (self.image, self.store, self.memory, self.options, self.now) = (image, store, memory, options, now)
    self.remember = remember
  }

  private var judge: TimestampJudge { TimestampJudge(image: image, memory: memory, options: options) }

  package mutating func run() throws {
    let isKnown = (memory.commit?.version ?? 0) >= max(1, options.inheritsBelow)
    if options.isByHand || memory.needsList(now) || !isKnown {
      try look()
    } else if options.looksFirst || !steps.isEmpty {
      // Before anything is written, one small request detects another publisher, or a store that hangs.
      let found = try store.read(image.timestamp.path)
      // A mirror that was reset to an earlier timestamp of this publisher may lack files that the memory lists.
      if try conditionToReplace(found) != nil, !memory.committed(found) { try look() }
    }
    if !memory.shows(image) { memory.behindSince = memory.behindSince ?? now }
    var leftovers: [MirrorError] = []
    for step in steps {
      if options.isOver() { throw MirrorError.away("the program had to end before the push was finished") }
      do { try take(step) } catch MirrorError.leftover(let error) {
        leftovers.append(error)
        // A file that cannot be removed must not prevent the removal of others. But the push ends if the store
        // does not answer or rejects many removals.
        if case .away = error { break }
        if leftovers.count == Self.mostLeftovers { break }
      } catch {
        makeRoom(after: error)
        throw error
      }
    }
    // Corrects the memory if it records that the mirror is behind, but no step was needed.
    if let commit = memory.commit { memory.noteCommit(image, tag: commit.tag, now: now) }
    if let first = leftovers.first { throw MirrorError.leftover(first) }
  }

  /// Removes the files that are due if the mirror may be full, so that the next push has room.
  private mutating func makeRoom(after error: any Error) {
    let isFull = if case MirrorError.refused = error { true } else { error is FileError }
    guard isFull else { return }
    for step in removals { if (try? take(step)) == nil { return } }
  }

  private enum Step {
    /// A snapshot or delta. Replaces a file of another length, because the name determines the content.
    case object(MirrorFile, isDamaged: Bool)
    case metadata(MirrorFile)
    /// The timestamp, which makes all earlier steps visible.
    case commit(MirrorFile)
    /// Removes a file that has been unreachable for the grace period.
    case removal(String)
  }

  /// The steps that make the mirror equal to the image. A crash after any step leaves a consistent mirror.
  private var steps: [Step] {
    let objects = image.objects.filter { memory.held[$0.path] != $0.length }
      .map { Step.object($0, isDamaged: memory.held[$0.path] != nil) }
    let late = lateRoots
    let metadata = image.metadata.filter { memory.held[$0.path] != $0.length && !late.contains($0) }
      .map(Step.metadata)
    let commit = memory.shows(image) ? [] : [Step.commit(image.timestamp)]
    return objects + metadata + commit + late.map(Step.metadata) + removals
  }

  private var removals: [Step] {
    let named = image.paths
    return memory.unnamed.filter { path, since in
      !named.contains(path) && now.secondsSinceEpoch - since.secondsSinceEpoch >= options.graceSeconds
    }.keys.sorted().map(Step.removal)
  }

  /// The new roots, if clients of the mirror's newest root can read the image. They follow the timestamp, as in the
  /// publication, because clients of a new root may reject the former timestamp.
  private var lateRoots: [MirrorFile] {
    let roots = image.metadata.filter { MirrorImage.isRoot($0.path) }
    guard let newest = roots.last(where: { memory.held[$0.path] != nil }), newest != roots.last,
      image.suits(newest)
    else { return [] }
    return roots.filter { memory.held[$0.path] == nil }
  }

  private mutating func take(_ step: Step) throws {
    switch step {
    case .object(let file, let isDamaged):
      try put(file, isDamaged ? .none : condition(.absent)) { try $0.hasObject(file) }
    case .metadata(let file): try put(file, condition(.absent)) { try $0.hasMetadata(file) }
    case .commit(let file): try commit(file)
    case .removal(let path):
      do { try store.remove(path) } catch let error as MirrorError {
        throw MirrorError.leftover(error)
      } catch let error as FileError { throw MirrorError.leftover(.refused("\(error)")) }
      (memory.held[path], memory.unnamed[path]) = (nil, nil)
      report.removed += 1
    }
  }

  /// `isThere` returns whether the file already exists with the right content, for example after an interrupted push.
  private mutating func put(
    _ file: MirrorFile, _ condition: PutCondition, isThere: (inout Self) throws -> Bool
  ) throws {
    for attempt in 1...Self.attempts {
      let why: String
      switch try store.put(file, condition) {
      case .done: return note(file)
      case .unmet:
        if try isThere(&self) {
          memory.held[file.path] = file.length
          return
        }
        why = "it reports that \(file.path) exists, but does not have that file"
      case .disputed: why = "it is writing another file of the same name"
      case .outcomeUnknown(let text): why = text
      case .absent: throw MirrorError.noPlace
      }
      guard attempt < Self.attempts else { throw MirrorError.away(why) }
      options.pause(attempt)
    }
  }

  private mutating func note(_ file: MirrorFile) {
    memory.held[file.path] = file.length
    report.files += 1
    report.bytes += file.length
  }

  private func hasObject(_ file: MirrorFile) throws -> Bool {
    let length = try store.length(file.path)
    if length == file.length || length == nil { return length != nil }
    // Overwritten without a condition, because the name determines the content.
    if case .done = try store.put(file, .none) { return true }
    return false
  }

  private mutating func hasMetadata(_ file: MirrorFile) throws -> Bool {
    guard let found = try store.read(file.path) else { return false }
    if SHA256Digest.of(found.bytes) == file.sha256 { return true }
    if options.replaces, case .done = try store.put(file, condition(.tag(found.tag))) { return true }
    // Throws a more precise error if the other publisher has already written its timestamp.
    _ = try lookAtTimestamp()
    throw MirrorError.rival(path: file.path)
  }

  private mutating func commit(_ file: MirrorFile) throws {
    var condition = memory.commit.map { PutCondition.tag($0.tag) } ?? .absent
    // The tag may be missing: some stores send it only when the file is read, and a proxy may remove it.
    if !options.isFenced || condition == .tag("") {
      guard let found = try lookAtTimestamp() else { return }
      condition = found
    }
    memory.noteAttempt(image)
    try remember(memory)
    for attempt in 1...Self.attempts {
      let reply = try store.put(file, self.condition(condition))
      if case .done(let tag) = reply { return noteCommit(tag) }
      // Whatever the reply, the timestamp may have been written.
      if case .outcomeUnknown = reply, attempt < Self.attempts { options.pause(attempt) }
      guard let next = try lookAtTimestamp() else { return }
      condition = next
    }
    throw MirrorError.away("it does not confirm the upload of \(file.path)")
  }

  private mutating func noteCommit(_ tag: String) {
    // Clients may have used the former files until now, so the grace period of these files begins now.
    memory.noteCommit(image, tag: tag, now: now.passed(since: begun))
    note(image.timestamp)
    report.isCommitted = true
  }

  private mutating func lookAtTimestamp() throws -> PutCondition? {
    try conditionToReplace(store.read(image.timestamp.path))
  }

  /// Returns the condition for writing the timestamp, or `nil` if the mirror already has it.
  private mutating func conditionToReplace(_ found: StoredFile?) throws -> PutCondition? {
    switch try judge.look(at: found) {
    case .same:
      noteCommit(found?.tag ?? "")
      return nil
    case .older: return found.map { .tag($0.tag) }
    case .absent:
      guard memory.commit == nil || options.isByHand else { throw MirrorError.vanished }
      return .absent
    }
  }

  private func condition(_ condition: PutCondition) -> PutCondition { options.isFenced ? condition : .none }

  /// Reads the timestamp before it lists the mirror, so that the list includes all files that the timestamp names.
  private mutating func look() throws {
    let found = try store.read(image.timestamp.path)
    if try judge.look(at: found) == .absent, memory.commit != nil, !options.isByHand {
      throw MirrorError.vanished
    }
    let isCommitted = memory.committed(found)
    let (named, mine) = (image.paths, memory.held)
    let known = options.isByHand ? [:] : mine
    let isOnlyPublisher = options.replaces || (memory.commit?.version ?? 0) < options.inheritsBelow
    // Ignores files that this publisher never named: the next timestamp of another publisher may name them, so they
    // must not be removed.
    memory.held = try store.list().filter { path, _ in
      isOnlyPublisher || named.contains(path) || mine[path] != nil
    }
    // The listing has only lengths. Metadata that this publisher did not write may be another publisher's, even of a
    // version that is not published here yet. It counts as present only after its content is compared.
    for (path, length) in memory.held where MirrorImage.isMetadata(path) && known[path] != length {
      memory.held[path] = MirrorMemory.uncompared
    }
    // If the timestamp is not the committed one, clients may use unnamed files, and the grace period restarts.
    memory.unnamed = isCommitted ? memory.unnamed.filter { memory.held[$0.key] != nil } : [:]
    memory.listedAt = now
    memory.commit = found.map { found in
      let version = (try? Metadata<Timestamp>(parsing: found.bytes))?.signed.version ?? 0
      return MirrorMemory.Commit(
        tag: found.tag, version: version, sha256: SHA256Digest.of(found.bytes).hex,
        at: isCommitted ? memory.commit?.at ?? now : now)
    }
  }
}

package struct MirrorOptions: Sendable {
  /// Whether the store honours conditions. If not, the last writer wins.
  package var isFenced = true
  /// The operator requested the push, so an empty mirror is filled again.
  package var isByHand = false
  /// Replaces conflicting metadata and an older timestamp. The operator asserts that no other publisher runs.
  package var replaces = false
  /// Timestamps below this version belong to the publication that this one continues; see ``MirrorInheritance``.
  package var inheritsBelow = 0
  package var graceSeconds = 0
  /// Whether to check the mirror's timestamp even if nothing must be written: a folder may be an empty mount point.
  package var looksFirst = false
  /// Whether the program is shutting down. The next push continues the work.
  package var isOver: @Sendable () -> Bool = { false }
  package var pause: @Sendable (_ attempt: Int) -> Void = { attempt in
    usleep(pauseMicroseconds << UInt32(2 * attempt))
  }

  private static let pauseMicroseconds: UInt32 = 100_000

  package init() {}
}

package struct MirrorReport: Hashable, Sendable {
  package var files = 0
  package var bytes = 0
  package var removed = 0
  package var isCommitted = false

  package init() {}

  mutating func add(_ other: Self) {
    files += other.files
    bytes += other.bytes
    removed += other.removed
    isCommitted = isCommitted || other.isCommitted
  }
}
