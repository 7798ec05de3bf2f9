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
  public func suspend() async {
    isSuspended = true
    suspensions.send(true)
    cancelWork?()
    // First, for a lent connection's owner may be reading while an update waits for it.
    for generation in held.all { await generation.reader.endReads() }
    await turns.takeThroughCancellation()
    defer { turns.end() }
    // A resumption may have had its turn before.
    isSuspended = true
    suspensions.send(true)
    for generation in held.all { await generation.reader.suspend() }
    await writer.suspend()
    isWriting = false
  }

  /// Ends the suspension.
  ///
  /// `openings` then yields the current generation anew: the app opens it as it does at a start. It is another one
  /// where another process went on meanwhile; a seed that the app still holds of an older one may be gone, and is not
  /// to be opened again.
  public func resume() async {
    guard isSuspended else { return }
    await turns.takeThroughCancellation()
    defer { turns.end() }
    isSuspended = false
    suspensions.send(false)
    for generation in held.all {
      if await !generation.reader.resume(), generation === current { current = nil }
    }
    await reopen()
  }

  func untilResumed() async throws(CancellationError) {
    guard isSuspended else { return }
    for await isSuspended in suspensions.stream() where !isSuspended { return }
    throw CancellationError()
  }

  private func reopen() async {
    let before = current
    do {
      if let found = try await adopt() {
        if found === before { try await open(found) }
      } else if state.version != nil {
        // There was data before the suspension, and is none any more.
        await forget()
      }
    } catch { state.lastError = SeedError(error) }
  }
}
