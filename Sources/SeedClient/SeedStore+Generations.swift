import SeedDatabase
import SeedFormat
import SeedSystem

extension SeedStore {
  func adopt() async throws -> Generation? {
    // If the directory was removed, for example to clear downloads, starts over. Otherwise this store would use
    // deleted files while another store uses a new directory at the same path.
    if await !writer.isInPlace(current) { await forget() }
    // Another process may have found damage.
    if isWriting, let current, !current.folder.has(.damaged) { return current }
    // A read-only store always shows the updating store's record.
    if !hasRecord || fetcher == nil {
      (currentState.record, hasRecord) = (await writer.record(), true)
    } else if !isWriting {
      // Reads the provenance, because another store may have updated the data. The other fields are about this store.
      currentState.record.provenance = await writer.record().provenance
    }
    let search = try await writer.find(known: held.inPlace)
    note(damage: search.damaged.map { "\($0.folder.file) is damaged (\($0.reason))" })
    guard let found = search.generation else {
      // If another store removed the data, this one still reads its open file until it gets the lock.
      let isLost = await writer.isLocked || search.damaged?.folder.name == current?.name
      // Without data, `lose()` would only make the store examine its bundle again.
      if isLost, currentState.version != nil { lose() }
      return current
    }
    if found !== current {
      try await open(found)
      // Confirms the generation, because `find` has read it.
      await found.reader.confirm()
    }
    return found
  }

  private func note(damage found: String?) {
    if let found, found != damage { log.error(found) }
    damage = found
  }

  /// Takes the lock, so that no other store can change the data, and returns the current generation.
  func beginWriting() async throws -> Generation? {
    let found = try await adopt()
    guard !isWriting else { return found }
    guard fetcher != nil else { throw SeedError.readOnly(layout.directory) }
    // While this store holds the lock, no other store changes the directory, so it need not be watched.
    watch = nil
    do { try await writer.begin() } catch {
      // Catches up on changes made while the watch was off.
      _ = try? await adoptAndWatch()
      throw error
    }
    let generation = try await adopt()
    isWriting = true
    // Another store may have changed the data before this one got the lock.
    if let generation { _ = try? await meta(of: generation) }
    return generation
  }

  func forget() async {
    await writer.abandon()
    (editionSender.latest, fileSender.latest) = (nil, nil)
    (current, isWriting) = (nil, false)
    (hasCheckedBundle, hasRecord) = (false, false)
    let isUpdating = currentState.isUpdating
    currentState = SeedState(model)
    currentState.isUpdating = isUpdating
  }

  @discardableResult
  func open(_ generation: Generation) async throws -> Seed {
    let seed = try await seed(of: generation)
    current = generation
    held.add(generation)
    currentState.origin = generation.record.origin
    if !currentState.isUpdating { noteAge() }
    log.info(
      "opened version \(seed.version) (\(generation.record.origin.rawValue)) in \(generation.folder.file)")
    await announce(generation, at: seed.version, isNewFile: true)
    return seed
  }

  /// Opens the generation `name`, which this store has just made current. If it is unreadable, returns to the previous one.
  @discardableResult
  func openSwapped(_ name: String) async throws -> Generation {
    let found: GenerationSearch.Result
    do {
      found = try await writer.find(known: held.inPlace, justSwapped: true)
      if let generation = found.generation, generation.name == name {
        try await open(generation)
        return generation
      }
    } catch {
      await writer.undoSwap(to: current)
      throw error
    }
    let reason = found.damaged?.reason ?? "it is missing"
    throw SeedError(
      found.isRejected ? .damaged : .io,
      "the new file in \(layout.folder(name).path) cannot be read (\(reason)), so the previous data stays; "
        + (found.isRejected
          ? "this snapshot will not be retried: wait for a newer one"
          : "the disk may be at fault: try again"))
  }

  func leave(_ generation: Generation) async throws -> Generation? {
    log.error(
      "\(generation.folder.file) is damaged: it is no longer read, and the next update downloads a snapshot")
    await writer.noteDamage(generation.name)
    if current === generation { lose() }
    return try await adopt()
  }

  /// Stops using the data. The bundle may now be the best data left, so it is examined again.
  private func lose() {
    (current, editionSender.latest, fileSender.latest, hasCheckedBundle) = (nil, nil, nil, false)
    currentState.loseData()
  }

  func requireCurrent() throws(SeedError) -> Generation {
    guard let current else { throw noCurrent }
    return current
  }

  var noCurrent: SeedError {
    SeedError(.damaged, "the data in \(layout.directory) is missing or damaged: update again")
  }

  // MARK: Versions

  func seed(of generation: Generation) async throws -> Seed {
    try await generation.seed(at: meta(of: generation).version)
  }

  /// Reads a generation's metadata, and announces its version if it is new. Such a version was written by another
  /// store, or by an update of this store that failed after its commit; other updates announce their own versions.
  func meta(of generation: Generation) async throws -> SeedMeta {
    let meta = try await generation.reader.meta()
    let isNews = generation === current && currentState.version != nil && currentState.version != meta.version
    currentState.note(meta)
    if isNews {
      log.info(
        "found version \(meta.version), committed by another store or by an update that failed afterwards")
      await announce(generation, at: meta.version)
    }
    return meta
  }

  /// Notifies live queries and, if the file is new and the app wants the store open, the listeners of `files`.
  /// `changes` contains all changes since the last announcement; it is empty if they are unknown.
  func announce(
    _ generation: Generation, at version: SeedVersion, _ changes: [String: SeedChanges.Table] = [:],
    isNewFile: Bool = false
  ) async {
    let seed = generation.seed(at: version)
    if isNewFile, !isSuspensionWanted { fileSender.send(seed) } else { fileSender.latest = seed }
    // If the tables' sums cannot be read, every live query runs again.
    let sums = try? await generation.reader.sums()
    editionSender.send(
      DataEdition(
        generation, at: version, sums, updated: changes.compactMapValues(\.columns),
        after: editionSender.latest)
    )
  }

  // MARK: Other stores

  func adoptAndWatch() async throws -> Generation? {
    watchOthers()
    return try await adopt()
  }

  /// Watches the directory for other stores' changes, without polling.
  private func watchOthers() {
    guard !isWriting else { return }
    // Repeated, because the directory may appear between the check and the watch.
    for _ in 0..<Self.mostWatches {
      // Watches the nearest parent until another store creates the directory.
      var folder = layout.directory
      while !Folder.exists(folder), folder != Folder.parent(of: folder) { folder = Folder.parent(of: folder) }
      guard watch?.folder != folder || watch?.hasEnded ?? true else { return }
      watch = environment.watch(folder) { [weak self] in Task { await self?.folderChanged() } }
      guard watch != nil else { return watchLater() }
    }
  }

  private static let mostWatches = 4
  /// Seconds between polls while the directory cannot be watched.
  private static let secondsWithoutWatch = 1

  /// Polls until the directory can be watched: Linux allows 128 watches per user.
  private func watchLater() {
    guard !isWatchPending else { return }
    isWatchPending = true
    Task { [weak self, environment] in
      try? await environment.sleep(.seconds(Self.secondsWithoutWatch))
      await self?.watchAgain()
    }
  }

  private func watchAgain() async {
    isWatchPending = false
    await checkForChanges()
  }

  /// Ignores a notification after the watch has ended, because the check would retain a closing store and its lock.
  private func folderChanged() async {
    if watch != nil { await checkForChanges() }
  }

  func checkForChanges() async {
    guard !isWriting, !hasPendingCheck else { return }
    hasPendingCheck = true
    await runInTurn { store in
      store.hasPendingCheck = false
      if let generation = try await store.adoptAndWatch() {
        _ = try await store.meta(of: generation)
      } else if store.fetcher == nil {
        try store.failForNoData()
      }
    }
    hasPendingCheck = false
  }

  func failForNoData() throws(SeedError) {
    if let damage { throw SeedError(.damaged, "\(damage): run the store that updates it") }
    throw SeedError(
      .noData,
      "there is no data in \(layout.directory) yet, and this store is read-only: run the store that updates it first"
    )
  }

  /// Opens the data on the device or in the bundle. Live queries call this, because the app may call nothing else.
  func openData() async {
    guard fetcher != nil else { return await checkForChanges() }
    guard current == nil else { return }
    await runInTurn { store in
      guard store.current == nil else { return }
      _ = try await store.withBundle(over: store.adoptAndWatch())
    }
    isOpeningAwaited = access == .suspended
  }

  /// Reports a new error in the state and the log, because there is no caller to catch it.
  private func runInTurn(_ body: @escaping @Sendable (isolated SeedStore) async throws -> Void) async {
    do { try await inTurn(isUpdate: false, body) } catch {
      guard error != currentState.lastError else { return }
      note(error, "the data cannot be read")
    }
  }
}
