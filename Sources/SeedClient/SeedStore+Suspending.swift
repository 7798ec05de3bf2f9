import SeedSystem

extension SeedStore {
  /// Closes all connections and releases all locks. Await this call when the app enters the background.
  ///
  /// A running update ends at its next safe point with ``SeedError/Code/suspended``, and keeps the data that it has
  /// downloaded or applied. A running read ends with the same error, during its current statement. Each ``Seed`` that
  /// the app still holds also loses its lock, so first close or detach the app's own connections to it.
  ///
  /// Until ``resume()``, `keepUpdated` and live queries wait, and other calls fail with ``SeedError/Code/suspended``.
  /// Only ``updateInBackground(_:)`` still updates. iOS kills an app that is suspended while it holds a lock in an
  /// App Group (0xdead10cc).
  public func suspend() async {
    isSuspensionWanted = true
    await stop(as: .suspended)
  }

  /// Ends the suspension.
  ///
  /// `files` then yields the current file again, because another process may have replaced it. Open that file
  /// as at the app's start. Do not reopen a seed from before the suspension: its file may be gone.
  public func resume() async {
    // During a background update the store is open, but `files` has not yielded the file.
    if isSuspensionWanted, access == .open, let seed = fileSender.latest { fileSender.send(seed) }
    isSuspensionWanted = false
    await endSuspension()
    // Not needed during a background update, which also opens the data or the bundle.
    if isOpeningAwaited, backgroundUpdates == 0 { await openData() }
  }

  private func endSuspension() async {
    guard access == .suspended else { return }
    await updateLock.acquireIgnoringCancellation()
    defer { updateLock.release() }
    guard access == .suspended else { return }
    await start()
  }

  /// Updates once in a background task, even if the store is suspended. When the update ends, even if it failed or
  /// was cancelled, the store is suspended again, unless ``resume()`` was called meanwhile. `files` yields nothing until
  /// then, so that the app opens no connection in the background.
  @discardableResult
  public func updateInBackground(_ policy: UpdatePolicy = .background) async throws -> UpdateReport {
    backgroundUpdates += 1
    await endSuspension()
    do {
      let report = try await update(policy)
      await endBackgroundUpdate()
      return report
    } catch {
      await endBackgroundUpdate()
      throw error
    }
  }

  private func endBackgroundUpdate() async {
    backgroundUpdates -= 1
    if backgroundUpdates == 0, isSuspensionWanted { await stop(as: .suspended) }
  }

  /// Closes the store permanently: like ``suspend()``, but also ends its sequences, including live queries. All later
  /// calls and a running `keepUpdated` fail with ``SeedError/Code/closed``. Another store can then update the
  /// directory.
  ///
  /// A store also closes when its last reference is released. Call this function if other references may remain.
  public func close() async {
    await stop(as: .closed)
    fileSender.finish()
    changesSender.finish()
    editionSender.finish()
    phaseSender.finish()
    stateSender.finish()
    accesses.finish()
  }

  nonisolated func untilAccess(is wanted: StoreAccess...) async {
    for await access in accesses.stream() where wanted.contains(access) { return }
  }

  private func setAccess(_ new: StoreAccess) {
    guard access != .closed else { return }
    access = new
    accesses.send(new)
  }

  private func stop(as new: StoreAccess) async {
    await halt(as: new)
    defer { updateLock.release() }
    // Set again, because `resume()` may have run while this call waited for the lock.
    setAccess(new)
    await closeAll()
  }

  /// Ends running work. When it returns, the caller holds the update lock.
  func halt(as new: StoreAccess) async {
    setAccess(new)
    cancelWork?()
    await updateLock.acquireIgnoringCancellation()
  }

  /// Closes all connections and releases all locks. Requires the update lock.
  func closeAll() async {
    for generation in held.all { await generation.reader.suspend() }
    await writer.suspend()
    (isWriting, watch, fileSender.latest) = (false, nil, nil)
  }

  /// Opens the store again. Requires the update lock.
  func start() async {
    setAccess(.open)
    for generation in held.all {
      if await !generation.reader.resume(), generation === current { current = nil }
    }
    await reopen()
  }

  private func reopen() async {
    let (before, version) = (current, currentState.version)
    do {
      if let found = try await adoptAndWatch() {
        if found === before { try await open(found) }
      } else if version != nil {
        // The data from before the suspension was removed.
        await forget()
      }
    } catch {
      // The next read or update opens the data and announces it.
      current = nil
      currentState.lastError = SeedError(error)
    }
  }

  /// Removes the store's files, and frees their space.
  ///
  /// The next read or update then starts over with the app's bundle or a download, as after an installation. A
  /// running ``keepUpdated(_:onFailure:)`` downloads the data again, so cancel its task first, or ``close()`` the
  /// store afterwards. Running updates and reads end as with ``suspend()``. Later calls and live queries wait. First
  /// close or detach the app's own connections to the data; otherwise its space is not freed.
  ///
  /// Data that another store or process reads stays until the first update after that reader has finished.
  /// Fails with ``SeedError/Code/storeLocked`` if another store updates the directory.
  public func remove() async throws {
    guard fetcher != nil else { throw SeedError.readOnly(layout.directory) }
    try access.check()
    await halt(as: .removing)
    defer { updateLock.release() }
    // A suspension or closing during the wait takes precedence.
    guard access == .removing else { throw access == .closed ? SeedError.closed : .suspended }
    await closeAll()
    var failure: SeedError?
    do {
      try await writer.remove()
      await forget()
      log.info("removed the data in \(layout.directory)")
    } catch { failure = SeedError(error) }
    if access == .removing { await start() }
    if let failure { throw failure }
  }

  /// Returns the bytes used in the store's directory by data, the previous data, logs, unfinished downloads and metadata.
  public nonisolated func diskUsage() async throws -> Int {
    do {
      return try await blocking { [layout] in try layout.paths.reduce(0) { $0 + (try Folder.bytes(of: $1)) } }
    } catch { throw SeedError(error) }
  }
}
