extension SeedStore {
  /// Closes every connection and gives back every lock, as the system demands of a suspended app: call it when the app
  /// goes to the background, and wait for its end.
  ///
  /// An update that is under way ends at its next safe point with ``SeedError/Code/suspended``; what was downloaded
  /// or applied until then stays. Reads under way end with the same error, in the statement that they are at. The locks
  /// of seeds that the app still holds are given back as well: before this the app closes its own connections to them,
  /// or detaches them.
  ///
  /// Until ``resume()`` every call fails with ``SeedError/Code/suspended``, but for `keepUpdated` and
  /// live queries, which wait. iOS ends an app that is suspended while it holds a lock in an App Group (0xdead10cc).
  public func suspend() async { await stop(as: .suspended) }

  /// Ends the suspension.
  ///
  /// `openings` then yields the current generation anew: the app opens it as it does at a start. It is another one
  /// where another process went on meanwhile; a seed that the app still holds of an older one may be gone, and is not
  /// to be opened again.
  public func resume() async {
    guard access == .suspended else { return }
    await turns.takeThroughCancellation()
    defer { turns.end() }
    guard access == .suspended else { return }
    setAccess(.open)
    for generation in held.all {
      if await !generation.reader.resume(), generation === current { current = nil }
    }
    await reopen()
  }

  /// Closes the store for good: as ``suspend()`` does, and all its sequences end, live queries too. `keepUpdated` and all
  /// further calls fail with ``SeedError/Code/closed``. Another store can then update the directory at once.
  ///
  /// A store that nobody holds any more closes by itself; this is for those who cannot tell who still holds it.
  public func close() async {
    await stop(as: .closed)
    openingsSender.finish()
    changesSender.finish()
    editionSender.finish()
    phaseSender.finish()
    stateSender.finish()
    accesses.finish()
  }

  /// Returns once the store is resumed or closed, or the task is cancelled.
  func untilResumed() async {
    for await access in accesses.stream() where access != .suspended { return }
  }

  nonisolated func untilClosed() async {
    for await access in accesses.stream() where access == .closed { return }
  }

  private func setAccess(_ new: StoreAccess) {
    // What is closed stays so.
    guard access != .closed else { return }
    access = new
    accesses.send(new)
  }

  private func stop(as new: StoreAccess) async {
    setAccess(new)
    cancelWork?()
    // First, for a lent connection's owner may be reading while an update waits for it.
    for generation in held.all { await generation.reader.endReads() }
    await turns.takeThroughCancellation()
    defer { turns.end() }
    // A resumption may have had its turn before.
    setAccess(new)
    for generation in held.all { await generation.reader.suspend() }
    await writer.suspend()
    (isWriting, watch) = (false, nil)
  }

  private func reopen() async {
    let before = current
    do {
      if let found = try await adoptAndWatch() {
        if found === before { try await open(found) }
      } else if state.version != nil {
        // There was data before the suspension, and is none any more.
        await forget()
      }
    } catch {
      // The next look opens it, and tells everyone.
      current = nil
      state.lastError = SeedError(error)
    }
  }
}
