import SeedDatabase
import SeedFormat

extension SeedStore {
  /// The data to start with: what is on this device, else what the server has.
  ///
  /// Works offline once there was a first download, and never yields an empty database. Where another store updates
  /// the same directory, this is also the way to notice what it did.
  @discardableResult
  public func prepare() async throws(SeedError) -> Seed {
    // Nobody else makes another generation count, so there is nothing to wait for.
    if isWriting, let current, !suspension.isSuspended, await current.reader.isInPlace() {
      return try await seed(of: current)
    }
    return try await inTurn { store in try await store.preparing() }
  }

  /// Goes back to the generation before the current one: for an app whose own check of the new data failed.
  ///
  /// The way back is there after a snapshot has taken the place of older data, once. What the current generation
  /// held is remembered and not taken again: updates fail with ``SeedError/Code/rejected`` until the publisher has
  /// something newer. Fails with ``SeedError/Code/noPrevious`` where there is no way back.
  @discardableResult
  public func rollBack() async throws(SeedError) -> Seed {
    try await inTurn(isLook: false) { store in try await store.rollingBack() }
  }

  // MARK: What is on the device

  func preparing() async throws -> Seed {
    try Task.checkCancellation()
    if let generation = try await takingBundle(over: adopt()) { return try await seed(of: generation) }
    do {
      return try await looking().seed
    } catch {
      throw withBundleError(error)
    }
  }

  /// Opens the generation that counts, unless it is open already.
  func adopt() async throws -> Generation? {
    await forgetWhatWasRemoved()
    if isWriting, let current { return current }
    await restore()
    guard let found = try await writer.find(known: inHand.known).generation else { return current }
    if found !== current {
      try await open(found)
      // A store before this one has read it or could not: now it can be read.
      await found.reader.confirm()
    }
    return found
  }

  /// Begins anew where somebody has removed the directory, to clear what was downloaded for example: else this store
  /// would go on in files without a name, beside another that has made the directory anew.
  private func forgetWhatWasRemoved() async {
    guard await !writer.isInPlace(current) else { return }
    await forget()
  }

  /// Knows no more of the directory than at the start.
  func forget() async {
    await writer.abandon()
    inHand.abandon()
    (current, isWriting) = (nil, false)
    (hasLookedAtBundle, hasRecord) = (false, false)
    state = SeedState(model)
  }

  /// Makes a generation the one that is read, and tells everyone.
  func open(_ generation: Generation) async throws {
    let seed = try await seed(of: generation)
    current = generation
    inHand.add(generation)
    state.origin = generation.record.origin
    openingsSender.send(seed)
    moments.send(seed)
  }

  /// Opens the generation that a swap has just made current. Where it cannot be read the one before comes back.
  func openSwapped(_ name: String) async throws -> Generation {
    let found = try await writer.find(known: inHand.known, justSwapped: true)
    guard let generation = found.generation, generation.name == name else { throw unreadable(found) }
    try await open(generation)
    return generation
  }

  private func unreadable(_ found: GenerationSearch.Found) -> SeedError {
    let reason = found.damaged?.reason ?? "it is gone"
    return SeedError(
      found.isRejected ? .damaged : .io,
      "the new file cannot be read on this device (\(reason)); the data from before stays, and "
        + (found.isRejected ? "this snapshot is not taken again" : "the disk may be at fault: try again"))
  }

  func seed(of generation: Generation) async throws(SeedError) -> Seed {
    do {
      let meta = try await generation.reader.meta()
      let isNews = generation === current && state.version != nil && state.version != meta.version
      note(meta)
      let seed = Seed(generation, meta.version)
      // What another process has applied.
      if isNews, !isWriting { announce(seed) }
      return seed
    } catch {
      throw SeedError(error)
    }
  }

  /// Tells of another version in the same file.
  func announce(_ seed: Seed) {
    openingsSender.replaceLatest(seed)
    moments.send(seed)
  }

  /// What is on the device when no one else can change it any more.
  func beginWriting() async throws -> Generation? {
    let found = try await adopt()
    guard !isWriting else { return found }
    try await writer.begin()
    let held = try await adopt()
    isWriting = true
    return held
  }

  /// What to read instead of a generation in which a read found damage; `nil` where there is nothing.
  func replacement(of generation: Generation) async throws -> Generation? {
    guard await takeTurnUnlessCancelled() else { throw SeedError(CancellationError()) }
    defer { turns.end() }
    return try await leave(generation)
  }

  /// Reads a generation that is damaged no more, and what there is in its place.
  func leave(_ generation: Generation) async throws -> Generation? {
    await writer.noteDamage(generation.name)
    // The next look takes a snapshot where nothing else is left.
    if current === generation { current = nil }
    return try await adopt()
  }

  private func rollingBack() async throws -> Seed {
    guard let held = try await beginWriting() else {
      throw SeedError(.noPrevious, "there is no data in \(layout.directory)")
    }
    try await writer.rollBack(from: held, holding: held.reader.meta().digest)
    guard let found = try await writer.find(known: inHand.known).generation else {
      throw SeedError(.damaged, "the generation before \(held.name) cannot be read")
    }
    try await open(found)
    return try await seed(of: found)
  }

  // MARK: What a restart must not lose

  private func restore() async {
    guard !hasRecord else { return }
    state.restore(await writer.record())
    hasRecord = true
  }

  /// Keeps what ``state`` tells of the last look.
  func keepState() async { await writer.keep(state.record) }
}
