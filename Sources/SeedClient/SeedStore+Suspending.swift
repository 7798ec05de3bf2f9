extension SeedStore {
  /// Lets go of everything that a system may not find in the hands of a suspended app: call it when the app goes to
  /// the background, and wait for its end.
  ///
  /// An update that is under way ends at its next safe point with ``SeedError/Code/suspended``; what was downloaded
  /// or applied until then stays. Reads under way end with the same error, in the statement that they are at. Then all
  /// of the store's connections are closed and all locks given back, also those of seeds that the app still holds:
  /// before this the app closes its own connections to them, or detaches them.
  ///
  /// Until ``resume()`` every call fails with ``SeedError/Code/suspended``, but for `keepUpdated` and
  /// live queries, which wait. iOS ends an app that is suspended while it holds a lock in an App Group (0xdead10cc).
  public func suspend() async {
    suspension.begin()
    // First, for a lent connection's owner may be reading while an update waits for it.
    for generation in inHand.all { await generation.reader.endReads() }
    await takeTurn()
    defer { turns.end() }
    // A resumption may have had its turn before.
    suspension.begin()
    for generation in inHand.all { await generation.reader.suspend() }
    await writer.suspend()
    isWriting = false
  }

  /// Takes up again what ``suspend()`` let go.
  ///
  /// `openings` then yields the current generation anew: the app opens it as it does at a start. It is another one
  /// where another process went on meanwhile; a seed that the app still holds of an older one may be gone, and is not
  /// to be opened again.
  public func resume() async {
    guard suspension.isSuspended else { return }
    await takeTurn()
    defer { turns.end() }
    suspension.end()
    for generation in inHand.all {
      if await !generation.reader.resume(), generation === current { current = nil }
    }
    await reopen()
  }

  /// Returns when the store is not suspended; it throws where the caller is cancelled before.
  func untilResumed() async throws(CancellationError) {
    guard suspension.isSuspended else { return }
    let place = Waiters.Place()
    let isResumed = await withTaskCancellationHandler {
      await withCheckedContinuation { suspension.wait($0, at: place) }
    } onCancel: {
      // Behind this on the actor: by then the place is taken.
      Task { await self.giveUpResumption(place) }
    }
    guard isResumed else { throw CancellationError() }
  }

  private func giveUpResumption(_ place: Waiters.Place) { suspension.giveUp(place) }

  /// Begins anew where there was data before the suspension, and is none any more.
  private func forgetWhatWasCleared() async {
    if state.version != nil { await forget() }
  }

  private func reopen() async {
    let held = current
    do {
      // Without anything on this device there is nothing to open, and the next look says what is wrong.
      guard let found = try await adopt() else { return await forgetWhatWasCleared() }
      if found === held { try await open(found) }
    } catch {
      state.lastError = SeedError(error)
    }
  }
}
