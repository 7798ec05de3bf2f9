import SeedFormat
package import SeedSystem
import SeedTrust

/// A mirror of a publication, with the publisher's memory of it.
package struct Mirror: Sendable {
  package let store: any MirrorStore
  package var options: MirrorOptions
  private let stateFolder: String

  /// The memory is stored in `stateFolder`.
  package init(_ store: any MirrorStore, _ options: MirrorOptions, stateFolder: String) {
    (self.store, self.options, self.stateFolder) = (store, options, stateFolder)
  }

  package var place: String { store.place }

  /// When the mirror fell behind, according to the memory; `nil` if it is up to date.
  package var behindSince: UTCTime? { MirrorMemory(file: memoryFile).behindSince }

  private var memoryFile: String { MirrorMemory.file(of: place, in: stateFolder) }

  private var inherited: MirrorOptions {
    var options = options
    options.inheritsBelow = MirrorInheritance.version(in: stateFolder)
    return options
  }

  /// The maximum number of consecutive pushes if the publication changes during each.
  private static let looks = 3

  /// Makes the mirror equal to the current publication. After a failure, remembers the completed steps and the error.
  package func bringUpToDate(_ publication: PublicationDirectory, now: UTCTime) throws -> MirrorReport {
    try withLock {
      var memory = MirrorMemory(file: memoryFile)
      do {
        return try push(publication, &memory, now: now)
      } catch {
        if (error as? MirrorError)?.isHarmless != true { memory.behindSince = memory.behindSince ?? now }
        memory.problem = "\(error)"
        try memory.write(to: memoryFile)
        throw failure(error)
      }
    }
  }

  private func push(
    _ publication: PublicationDirectory, _ memory: inout MirrorMemory, now: UTCTime
  ) throws -> MirrorReport {
    let begun = ContinuousClock.now
    var report = MirrorReport()
    for look in 1...Self.looks {
      let stamp = publication.timestampStamp
      var push = MirrorPush(
        try MirrorImage(of: publication), to: store, memory, inherited, now: now.passed(since: begun)
      ) { try $0.write(to: memoryFile, isSynced: false) }
      let result = Result { try push.run() }
      memory = push.memory
      if case .failure(let error as FileError) = result, look < Self.looks, error.isMissing,
        error.path.hasPrefix(publication.path)
      {
        continue
      }
      try result.get()
      // The push saved the memory at most once, without a sync. All changes are saved durably here.
      if memory != MirrorMemory(file: memoryFile) { try memory.write(to: memoryFile) }
      report.add(push.report)
      // Also copies a newer version, because the process that published it may have given up waiting for the lock.
      if publication.timestampStamp == stamp { break }
    }
    return report
  }

  /// Compares the mirror with this publication. Throws if another publisher is ahead or the mirror does not answer.
  package func compare(_ publication: PublicationDirectory) throws {
    do {
      // The mirror is read first, because another local process may publish and mirror a version during the request.
      let found = try store.read(MirrorImage.timestampPath)
      let judge = TimestampJudge(
        image: try MirrorImage(of: publication), memory: MirrorMemory(file: memoryFile),
        options: inherited)
      _ = try judge.look(at: found)
    } catch { throw failure(error) }
  }

  /// Checks that the mirror is usable and describes it in one sentence. Throws if the operator must fix a problem.
  package func check() throws -> String {
    do {
      try MirrorProbe(store, isFenced: options.isFenced).run()
      if MirrorMemory(file: memoryFile).commit != nil, try store.read(MirrorImage.timestampPath) == nil {
        throw MirrorError.vanished
      }
      let fence =
        options.isFenced
        ? "honours conditional writes" : "writes are unconditional, so no other publisher may use it"
      switch try store.isPublic(MirrorImage.timestampPath) {
      case nil: return "writable, and \(fence)"
      case true?: return "writable, \(fence), and clients can read the files"
      case false?:
        let isEmpty = try store.read(MirrorImage.timestampPath) == nil
        return "writable, and \(fence); "
          + (isEmpty
            ? "nothing is mirrored yet: after 'seedbank mirror push', check again whether clients can read the files"
            : "clients cannot read the files at this address without credentials")
      }
    } catch { throw failure(error) }
  }

  private func failure(_ error: any Error) -> any Error {
    (error as? MirrorError).map { MirrorFailure(place, $0) } ?? error
  }

  private func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try Folder.create(Folder.parent(of: memoryFile), mode: 0o700)
    // Waits, because the process that holds the lock may be updating the mirror to an older version.
    return try LockFile("\(memoryFile).lock", of: place).hold(.short, isOver: options.isOver, body)
  }
}

/// Tests each kind of request that a push makes. For a fenced store, also tests whether it honours conditional writes,
/// because only these keep two publishers from overwriting each other.
package struct MirrorProbe {
  private let store: any MirrorStore
  private let isFenced: Bool
  private let path: String

  package init(_ store: any MirrorStore, isFenced: Bool = true) {
    (self.store, self.isFenced) = (store, isFenced)
    path = "metadata/probe-\(UInt64.random(in: 0...UInt64.max)).txt"
  }

  package func run() throws {
    let (result, removal) = (Result { try probe() }, Result { try store.remove(path) })
    try result.get()
    try removal.get()
    guard try store.read(path) == nil else {
      throw MirrorError.refused("the test file was removed, but is still there")
    }
    _ = try store.list()
  }

  private func probe() throws {
    let (first, second) = (MirrorFile(path, Array("first\n".utf8)), MirrorFile(path, Array("second\n".utf8)))
    if isFenced {
      try probeConditions(first, second)
    } else {
      _ = try done(store.put(second, .none), "a file")
    }
    guard try store.read(path)?.bytes == Array("second\n".utf8) else {
      throw MirrorError.refused("the test file's content differs from the bytes that were written")
    }
  }

  /// Tests conditional writes. Leaves the second file in the store.
  private func probeConditions(_ first: MirrorFile, _ second: MirrorFile) throws {
    let tag = try done(store.put(first, .absent), "a new file")
    try refused(store.put(second, .absent), "If-None-Match: * for an existing name")
    _ = try done(store.put(second, .tag(tag)), "If-Match with the current tag")
    try refused(store.put(first, .tag(tag)), "If-Match with the previous tag")
  }

  private func done(_ reply: PutReply, _ what: String) throws -> String {
    switch reply {
    case .done(let tag): return tag
    case .outcomeUnknown(let text): throw MirrorError.away(text)
    case .absent: throw MirrorError.noPlace
    case .unmet, .disputed: throw MirrorError.ignoresConditions("\(what) is rejected")
    }
  }

  private func refused(_ reply: PutReply, _ what: String) throws {
    switch reply {
    case .unmet, .disputed: return
    case .outcomeUnknown(let text): throw MirrorError.away(text)
    default: throw MirrorError.ignoresConditions("\(what) is accepted")
    }
  }
}

/// Decides when to update a mirror: after each publication, and with exponential backoff after failures.
package struct MirrorInterval {
  /// The timestamp file's stamp at the last successful update.
  private var shown: FileStamp?
  private var next: ContinuousClock.Instant
  private var failures = 0

  /// How often to update without a new publication, to remove obsolete files and detect other publishers.
  private static let rest = Duration.seconds(60)
  private static let (firstPause, mostDoublings) = (Duration.seconds(1), 6)

  package init(_ now: ContinuousClock.Instant) { next = now }

  package func isDue(_ stamp: FileStamp?, at now: ContinuousClock.Instant) -> Bool {
    now >= next || (failures == 0 && stamp != shown)
  }

  /// Whether the last update succeeded with this stamp, so that another update has nothing new to publish.
  package func shows(_ stamp: FileStamp?) -> Bool { failures == 0 && stamp == shown }

  /// `stamp` identifies the timestamp file before the attempt.
  package mutating func succeeded(_ stamp: FileStamp?, at now: ContinuousClock.Instant) {
    (shown, failures, next) = (stamp, 0, now.advanced(by: Self.rest))
  }

  package mutating func failed(at now: ContinuousClock.Instant) {
    next = now.advanced(by: Self.firstPause * (1 << min(failures, Self.mostDoublings)))
    failures += 1
  }

  package var isFailing: Bool { failures > 0 }
}
