import SeedDatabase

extension SeedStore {
  func adopt() async throws -> Generation? {
    // Begins anew where somebody has removed the directory, to clear downloads for example: else this store would go on
    // in files without a name, beside another that has made the directory anew.
    if await !writer.isInPlace(current) { await forget() }
    if isWriting, let current { return current }
    if !hasRecord { (state.record, hasRecord) = (await writer.record(), true) }
    guard let found = try await writer.find(known: held.inPlace).generation else { return current }
    if found !== current {
      try await open(found)
      // A store before this one has read it or could not: now it can be read.
      await found.reader.confirm()
    }
    return found
  }

  /// The generation that is read once no other store can change it any more.
  func beginWriting() async throws -> Generation? {
    let found = try await adopt()
    guard !isWriting else { return found }
    try await writer.begin()
    let generation = try await adopt()
    isWriting = true
    return generation
  }

  func forget() async {
    await writer.abandon()
    editionSender.forgetLatest()
    (current, isWriting) = (nil, false)
    (hasCheckedBundle, hasRecord) = (false, false)
    state = SeedState(model)
  }

  @discardableResult
  func open(_ generation: Generation) async throws -> Seed {
    let seed = try await seed(of: generation)
    current = generation
    held.add(generation)
    state.origin = generation.record.origin
    openingsSender.send(seed)
    sendEdition(of: generation, changed: nil)
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

  /// Reads a generation's own description. Tells everyone of a version that another process has applied.
  func meta(of generation: Generation) async throws -> SeedMeta {
    let meta = try await generation.reader.meta()
    let isNews = generation === current && state.version != nil && state.version != meta.version
    state.version = meta.version
    state.license = meta.provenance.license
    state.attribution = meta.provenance.attribution
    state.source = meta.provenance.source
    if isNews { announce(generation, at: meta.version) }
    return meta
  }

  /// Tells everyone of a version of the same file; `changed` are the tables, where they are known.
  func announce(_ generation: Generation, at version: Version, changed: [String]? = nil) {
    openingsSender.replaceLatest(generation.seed(at: version))
    sendEdition(of: generation, changed: changed)
  }

  private func sendEdition(of generation: Generation, changed: [String]?) {
    var next = DataEdition(generation, after: edition)
    next.note(changed)
    edition = next
    editionSender.send(next)
  }

  // MARK: What a restart must not lose

  func keepState() async { await writer.keep(state.record) }
}
