import SeedDatabase
import SeedSystem

extension SeedStore {
  func adopt() async throws -> Generation? {
    // Begins anew where somebody has removed the directory, to clear downloads for example: else this store would go on
    // in files without a name, beside another that has made the directory anew.
    if await !writer.isInPlace(current) { await forget() }
    if isWriting, let current { return current }
    if !hasRecord { (state.record, hasRecord) = (await writer.record(), true) }
    let search = try await writer.find(known: held.inPlace)
    note(damage: search.damaged.map { "\($0.folder.file) is damaged (\($0.reason))" })
    guard let found = search.generation else { return current }
    if found !== current {
      try await open(found)
      // A store before this one has read it or could not: now it can be read.
      await found.reader.confirm()
    }
    return found
  }

  /// Tells once of a file that is there and cannot be read: the one before, or a snapshot, takes its place.
  private func note(damage found: String?) {
    if let found, found != damage { log.error(found) }
    damage = found
  }

  /// The generation that is read once no other store can change it any more.
  func beginWriting() async throws -> Generation? {
    let found = try await adopt()
    guard !isWriting else { return found }
    guard fetcher != nil else { throw SeedError.readOnly(layout.directory) }
    // From the lock on only this store changes the directory, and what it does itself is no news.
    watch = nil
    do { try await writer.begin() } catch {
      // What came while nobody watched is no news any more.
      _ = try? await adoptAndWatch()
      throw error
    }
    let generation = try await adopt()
    isWriting = true
    return generation
  }

  func forget() async {
    await writer.abandon()
    editionSender.forgetLatest()
    (current, isWriting) = (nil, false)
    (hasCheckedBundle, hasRecord) = (false, false)
    let isUpdating = state.isUpdating
    state = SeedState(model)
    state.isUpdating = isUpdating
  }

  @discardableResult
  func open(_ generation: Generation) async throws -> Seed {
    let seed = try await seed(of: generation)
    current = generation
    held.add(generation)
    state.origin = generation.record.origin
    // Its data is as fresh as the store keeps it that updates.
    if fetcher == nil { state.hasLooked = true }
    log.info(
      "reads version \(seed.version), \(generation.record.origin.rawValue), in \(generation.folder.file)")
    openingsSender.send(seed)
    await sendEdition(of: generation, at: seed.version)
    return seed
  }

  /// Opens the generation that a swap has just made current. Where it cannot be read the one before comes back.
  @discardableResult
  func openSwapped(_ name: String) async throws -> Generation {
    let found: GenerationSearch.Result
    do {
      found = try await writer.find(known: held.inPlace, justSwapped: true)
    } catch {
      await writer.undoSwap(to: current)
      throw error
    }
    guard let generation = found.generation, generation.name == name else {
      let reason = found.damaged?.reason ?? "it is gone"
      throw SeedError(
        found.isRejected ? .damaged : .io,
        "the new file in \(layout.folder(name).path) cannot be read (\(reason)), so the data from before stays; "
          + (found.isRejected
            ? "this snapshot is not taken again: wait for a newer one"
            : "the disk may be at fault: try again"))
    }
    try await open(generation)
    return generation
  }

  /// Stops reading a damaged generation; returns the one to read in its place.
  func leave(_ generation: Generation) async throws -> Generation? {
    log.error(
      "\(generation.folder.file) is damaged: it is read no more, and the next update takes a snapshot")
    await writer.noteDamage(generation.name)
    // The next update takes a snapshot where nothing else is left.
    if current === generation {
      current = nil
      editionSender.forgetLatest()
    }
    return try await adopt()
  }

  func requireCurrent() throws(SeedError) -> Generation {
    guard let current else {
      throw SeedError(.damaged, "the data in \(layout.directory) is gone or damaged: update again")
    }
    return current
  }

  // MARK: Versions

  func seed(of generation: Generation) async throws -> Seed {
    try await generation.seed(at: meta(of: generation).version)
  }

  /// Reads a generation's own description. Tells everyone of a version that another store has applied. Has its turn:
  /// meanwhile no update of this store goes on.
  func meta(of generation: Generation) async throws -> SeedMeta {
    let meta = try await generation.reader.meta()
    let isNews = generation === current && state.version != nil && state.version != meta.version
    state.version = meta.version
    state.license = meta.provenance.license
    state.attribution = meta.provenance.attribution
    state.source = meta.provenance.source
    if isNews {
      log.info("another store has changed the data to version \(meta.version)")
      await announce(generation, at: meta.version)
    }
    return meta
  }

  /// Tells everyone here of a version of the same file.
  func announce(_ generation: Generation, at version: Version) async {
    openingsSender.replaceLatest(generation.seed(at: version))
    await sendEdition(of: generation, at: version)
  }

  private func sendEdition(of generation: Generation, at version: Version) async {
    editionSender.send(await generation.reader.edition(of: generation, at: version))
  }

  // MARK: Other stores

  /// The generation to read; what other stores do from here on is noticed.
  func adoptAndWatch() async throws -> Generation? {
    watchOthers()
    return try await adopt()
  }

  /// Notices what another store does in the directory, without asking for it again and again.
  private func watchOthers() {
    guard !isWriting else { return }
    // Again, for the directory may have come between the look and the watch.
    for _ in 0..<Self.mostWatches {
      // Until another store has made the directory, the folder that it will be in.
      let folder =
        Folder.exists(layout.directory) ? layout.directory : Folder.parent(of: layout.directory)
      guard watch?.folder != folder || watch?.hasEnded ?? true else { return }
      watch = environment.watch(folder) { [weak self] in Task { await self?.hearNotice() } }
      guard watch != nil else { return watchLater() }
    }
  }

  private static let mostWatches = 4
  /// Seconds between two looks of a store that the system gives no watch.
  private static let secondsWithoutWatch = 1

  /// Until there is a watch again this store looks by itself: Linux gives all processes of a user 128 together.
  private func watchLater() {
    guard !triesWatchLater else { return }
    triesWatchLater = true
    Task { [weak self, environment] in
      try? await environment.sleep(.seconds(Self.secondsWithoutWatch))
      await self?.tryWatchAgain()
    }
  }

  private func tryWatchAgain() async {
    triesWatchLater = false
    await takeNotice()
  }

  /// A notice that came late must not keep a store that is about to go, nor the lock that it has by now.
  private func hearNotice() async {
    if watch != nil { await takeNotice() }
  }

  func takeNotice() async {
    guard !isWriting, !hasNotice else { return }
    hasNotice = true
    await lookInTurn { store in
      store.hasNotice = false
      if let generation = try await store.adoptAndWatch() {
        _ = try await store.meta(of: generation)
      } else if store.fetcher == nil {
        try store.failForNoData()
      }
    }
    hasNotice = false
  }

  /// Why a store that only reads has nothing to read.
  func failForNoData() throws(SeedError) {
    guard let damage else { throw SeedError.noData(layout.directory) }
    throw SeedError(.damaged, "\(damage): let the store that updates it run")
  }

  /// Opens what is on the device or came with the app, for those who only listen.
  func look() async {
    guard fetcher != nil else { return await takeNotice() }
    guard current == nil else { return }
    await lookInTurn { store in
      guard store.current == nil else { return }
      _ = try await store.withBundle(over: store.adoptAndWatch())
    }
  }

  /// Nobody waits for the outcome: what fails is told by the state and the log, once as long as it stays the same.
  private func lookInTurn(_ body: @escaping @Sendable (isolated SeedStore) async throws -> Void) async {
    do { try await inTurn(isUpdate: false, body) } catch {
      guard error != state.lastError else { return }
      note(error, "the data cannot be read")
    }
  }

  // MARK: What a restart must not lose

  func keepState() async { await writer.keep(state.record) }
}
