import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Owns the lock, the trusted metadata and the writing connection. Its caller serializes updates.
actor StoreWriter: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.writer")
  let layout: StoreLayout
  let model: SeedModel
  let root: [UInt8]
  private let options: SeedOptions
  private var lock: FileLock?
  private var live: (name: String, file: SeedFile)?
  private var staged: StagedSeed?
  private var reading: String?
  private var rootChecked: UTCTime?
  /// Generations that a read found damaged, even if the mark in their folder could not be written.
  private var damaged: Set<String> = []

  init(_ layout: StoreLayout, _ model: SeedModel, root: [UInt8], options: SeedOptions) {
    (self.layout, self.model, self.root, self.options) = (layout, model, root, options)
  }

  // MARK: The lock

  /// The time to wait for the lock, which a store that was just released holds until its last task ends.
  private static let patience = Duration.milliseconds(300)

  var isLocked: Bool { lock != nil }

  /// Takes the lock and removes leftovers of crashes. A no-op if the lock is held.
  func begin() throws {
    guard lock == nil else { return }
    try Folder.create(layout.directory, mode: 0o700)
    guard let held = try FileLock.exclusive(layout.lock, within: Self.patience) else {
      throw SeedError(
        .storeLocked,
        "another store already updates \(layout.directory): keep one store per directory, give this one its own "
          + "(`directory:`), or try again later")
    }
    try layout.checkOwner(for: model, isBoundToMajor: options.isBoundToMajor)
    // Applied to the empty directory, so that later files inherit its protection class.
    StoreDirectory.apply(options, to: layout.directory)
    try layout.create()
    // Set last, so that the next attempt repeats these steps if one of them fails.
    lock = held
    sweep()
    collect()
  }

  private func sweep() {
    do {
      let remaining = try DurableFile.sweep(layout.directory) + DurableFile.sweep(layout.trust)
      if let error = remaining.first { throw error }
    } catch {
      SeedLog(model.series, options.log)
        .error("\(error), so files left by a crash remain; the next start tries again")
    }
  }

  func collect() {
    guard lock?.isInPlace == true else { return }
    // Ignores failures: the next update or start removes leftovers.
    try? layout.collect(sparing: staged?.name)
  }

  /// False if the directory was removed: it no longer contains the lock or the current generation.
  func isInPlace(_ generation: Generation?) -> Bool {
    lock?.isInPlace ?? true && generation?.lease.isInPlace ?? true
  }

  /// Forgets a removed directory without touching files, because another store may have recreated it.
  func abandon() { (staged, live, lock, reading, damaged) = (nil, nil, nil, nil, []) }

  func suspend() {
    discardStaged()
    (live, lock) = (nil, nil)
  }

  /// Removes the store's files and releases the lock.
  func remove() throws {
    defer { abandon() }
    try begin()
    try layout.removeUnlessRead()
  }

  private func checkPlace() throws(SeedError) {
    guard lock?.isInPlace == false else { return }
    throw SeedError(.io, "\(layout.directory) was removed during an update: try again")
  }

  // MARK: The current generation

  /// Returns the generation to read. If this store holds the lock, permanently replaces an unreadable current generation.
  func find(known: [Generation], justSwapped: Bool = false) throws -> GenerationSearch.Result {
    let search = GenerationSearch(layout: layout, model: model)
    var found = try search.run(known: known, damaged: damaged) { [weak self] in
      Task { await self?.collect() }
    }
    if lock != nil { found.isRejected = try replaceDamaged(found, justSwapped: justSwapped) }
    reading = found.generation?.name
    return found
  }

  func noteDamage(_ name: String) {
    damaged.insert(name)
    // If the disk is not writable, the next store has to detect the damage again.
    try? layout.folder(name).set(.damaged)
  }

  /// Goes back to the previous generation. Rejects the rows of `generation`, and also its snapshot, unless the
  /// previous generation was made from the same snapshot.
  func rollBack(from generation: Generation, holding digest: SHA256Digest) throws {
    guard let pointer = try layout.pointer(), pointer.current == generation.name,
      let previous = pointer.previous
    else {
      throw SeedError(
        .noPrevious,
        "there is no previous file in \(layout.directory): only a file that a snapshot replaced can be restored, and only "
          + "once; wait for the publisher's next version")
    }
    let folder = layout.folder(previous)
    guard !folder.has(.damaged), let kept = try GenerationRecord(of: folder)?.snapshot,
      try GenerationCheck.run(folder, model) == .usable
    else {
      throw SeedError(
        .noPrevious,
        "the previous file, \(folder.file), cannot be read: update instead")
    }
    // Rejects before changing the pointer: after a crash in between, the next start skips the rejected
    // snapshot, so it goes back too. If both come from one snapshot, it is not rejected: the newer one stays.
    try layout.reject([generation.record.snapshot, digest].filter { $0 != kept })
    try layout.setCurrent(previous)
    live = nil
  }

  /// If a failing disk prevents reading the new generation, makes the previous one current, also for later stores.
  func undoSwap(to generation: Generation?) {
    guard let generation else { return }
    (live, reading) = (nil, generation.name)
    // If this write fails too, the next start uses the new generation, which is complete.
    try? layout.setCurrent(generation.name)
  }

  private func replaceDamaged(_ found: GenerationSearch.Result, justSwapped: Bool) throws -> Bool {
    guard let folder = found.damaged?.folder else { return false }
    let isRejected = try reject(
      folder, if: justSwapped || found.generation != nil, sparing: found.generation?.record.snapshot)
    guard let other = found.generation else { return isRejected }
    try layout.setCurrent(other.name)
    if live?.name == folder.name { live = nil }
    collect()
    return isRejected
  }

  /// Rejects an unreadable generation's snapshot, to prevent a new download. Spares it if the disk may be at
  /// fault: an earlier read succeeded, the disk reports errors, or the readable generation has the same
  /// snapshot. If a start finds no other generation, the snapshot gets another chance.
  private func reject(
    _ folder: GenerationFolder, if hasNoMoreChance: Bool, sparing proven: SHA256Digest?
  ) throws -> Bool {
    guard hasNoMoreChance, !folder.has(.confirmed), let record = try GenerationRecord(of: folder),
      record.snapshot != proven, GenerationCheck.provesDamage(folder)
    else { return false }
    try layout.reject([record.snapshot])
    return true
  }

  // MARK: Metadata and state

  func refresh(_ fetcher: Fetcher) async throws -> SeriesMetadata {
    collect()
    emptyLog()
    let now = fetcher.environment.now()
    let asksForRoot = isRootCheckDue(now)
    do {
      let metadata = try await MetadataRefresh.refresh(
        series: model.series, shippedRoot: root, stored: trusted,
        fetch: { try await fetcher.metadata($0, limit: $1) }, now: now, asksForRoot: asksForRoot)
      if asksForRoot { rootChecked = now }
      return metadata
    } catch let error as TrustError {
      throw SeedError(error, of: model.series, at: fetcher.server, hasVerified: hasVerified)
    }
  }

  /// Also true if the clock was set back.
  private func isRootCheckDue(_ now: UTCTime) -> Bool {
    guard let rootChecked else { return true }
    let passed = now.secondsSinceEpoch - rootChecked.secondsSinceEpoch
    return passed < 0 || passed >= options.rootCheckSeconds
  }

  /// False until the app's root has verified any metadata from a server or a bundle.
  private var hasVerified: Bool { reading != nil || (try? Folder.names(in: layout.trust).isEmpty) != true }

  var trusted: StoredMetadata {
    let trust = layout.trust
    return StoredMetadata(
      read: { try DurableFile.readIfPresent("\(trust)/\($0)", limit: Limits.metadataBytes) },
      persist: { try DurableFile.write($1, to: "\(trust)/\($0)", mode: 0o600) })
  }

  func rejected() throws -> Set<SHA256Digest> { Set(try layout.rejected()) }

  func record() -> StateRecord { StateRecord.read(layout, model.series) }

  func keep(_ record: StateRecord) {
    guard lock != nil, record.isWorthKeeping(over: self.record()) else { return }
    // Ignores a failure, because it only makes the settings screen outdated after a restart.
    try? record.write(layout, model.series)
  }

  // MARK: A new generation

  /// Makes a verified snapshot and the deltas after it the current generation; returns its name. If the process is killed,
  /// the next start finds either the old data or the new. `beforeSwap` runs once the generation is complete.
  func replace(
    by snapshot: FetchedObject, _ deltas: ArraySlice<FetchedObject> = [], epoch: Epoch,
    origin: SeedOrigin = .downloaded, beforeSwap: () async -> Void = {}
  ) async throws -> String {
    let staged: StagedSeed
    do {
      staged = try stage(snapshot, deltas, epoch, origin)
    } catch {
      discardStaged()
      throw error
    }
    await beforeSwap()
    snapshot.phases.enter(.swapping)
    // If the swap fails half-way, the folder must stay; `collect` removes it unless it is current.
    defer { self.staged = nil }
    try checkPlace()
    try layout.setCurrent(staged.name)
    live = (staged.name, staged.file)
    return staged.name
  }

  private func stage(
    _ snapshot: FetchedObject, _ deltas: ArraySlice<FetchedObject>, _ epoch: Epoch, _ origin: SeedOrigin
  ) throws -> StagedSeed {
    let made = try snapshot.using {
      try checkPlace()
      return try rejectingIfDamaged(snapshot) {
        try StagedSeed(
          snapshot, epoch: epoch, origin: origin, previous: reading, provingRows: options.provesRows,
          in: layout)
      }
    }
    staged = made
    if !deltas.isEmpty { snapshot.phases.enter(.applying(deltas.map(\.object))) }
    for delta in deltas { _ = try made.file.apply([delta], keyLimit: 0) }
    return made
  }

  /// Makes the file a second time if it is damaged, because the disk or memory may be at fault. If the second file is
  /// damaged too, rejects the snapshot, so that updates do not download it again. A bundled snapshot is tried only once.
  private func rejectingIfDamaged(
    _ snapshot: FetchedObject, _ make: () throws -> StagedSeed
  ) throws -> StagedSeed {
    do { return try make() } catch let error as SeedError where error.code == .damaged {
      let (signed, isBundled) = (snapshot.object.sha256, snapshot.isBundled)
      guard !isBundled, try SHA256Digest.ofFile(at: snapshot.path).digest == signed else { throw error }
      do { return try make() } catch let error as SeedError where error.code == .damaged {
        try? layout.reject([signed])
        throw error
      }
    }
  }

  private func discardStaged() {
    guard let folder = staged?.folder else { return }
    staged = nil
    // Ignores failures: the next update or start removes leftovers.
    try? Folder.removeAll(folder.path)
  }

  // MARK: Deltas

  /// Applies deltas and commits them together.
  func apply(_ deltas: [FetchedObject], to generation: Generation) throws -> [SeedChanges] {
    try checkPlace()
    let keyLimit = options.reportedKeysPerTable ?? 0
    let changes = try open(generation.folder).apply(deltas, keyLimit: keyLimit)
    for delta in deltas { delta.discard() }
    return changes
  }

  /// Checkpoints the current file's WAL. Called before and after each update, because an earlier process may have left
  /// a WAL that would keep growing. Does not wait for readers. False if a reader needs the WAL or the disk is full.
  @discardableResult
  func emptyLog() -> Bool {
    guard lock?.isInPlace == true, let name = reading else { return true }
    let folder = layout.folder(name)
    guard folder.hasLog else { return true }
    return (try? open(folder).emptyLog()) ?? false
  }

  /// If the WAL is more than this many times as long as the file, a reader keeps a transaction open.
  private static let mostLogTimes = 2

  /// The path and bytes of the current file's WAL if it is too long because of such a reader; otherwise `nil`.
  func heldLog() -> (path: String, bytes: Int)? {
    guard let file = reading.map({ layout.folder($0).file }), let size = try? FileStamp(file)?.size,
      let bytes = try? FileStamp("\(file)-wal")?.size, bytes > Self.mostLogTimes * size
    else { return nil }
    return ("\(file)-wal", bytes)
  }

  /// Ignores failures: without a notification, another store notices the change at its next read.
  func notifyOthers() {
    guard lock?.isInPlace == true else { return }
    try? layout.notifyOthers()
  }

  private func open(_ folder: GenerationFolder) throws -> SeedFile {
    if let live, live.name == folder.name { return live.file }
    // A failure here counts as a mismatch, because the app may have changed the file's schema.
    let file = try DeltaMismatch.blaming { try SeedFile(folder.file) }
    live = (folder.name, file)
    return file
  }
}

extension StoreLayout {
  /// Throws if the directory holds another dataset. A store that is bound to its major also rejects another major.
  fileprivate func checkOwner(for model: SeedModel, isBoundToMajor: Bool) throws(SeedError) {
    // Without readable current data, nothing can be lost.
    guard let name = try? pointer()?.current, let connection = try? Connection(folder(name).file, .reader),
      let owner = try? SeedTables.meta(connection).series, owner != model.series,
      isBoundToMajor || owner.dataset != model.dataset
    else { return }
    throw SeedError(
      .configuration, "\(directory) is a store of \(owner): give \(model.series) a directory of its own")
  }
}

extension UpdatePhase {
  static func applying(_ chain: [PublishedObject]) -> UpdatePhase {
    .applying(rows: 0, bytes: 0, totalBytes: chain.reduce(0) { $0 + $1.rawLength })
  }
}
