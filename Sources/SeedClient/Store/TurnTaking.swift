/// An actor that does some things one after the other, though it waits in the middle of them.
protocol TurnTaking: Actor {
  var turns: Turns { get set }
}

extension TurnTaking {
  /// For what must be done, whoever wants it no more.
  func takeTurn() async {
    if !turns.takeIfFree() { _ = await withCheckedContinuation { turns.wait($0) } }
  }

  /// False where the caller was cancelled while it waited.
  func takeTurnUnlessCancelled() async -> Bool {
    if turns.takeIfFree() { return true }
    let place = Waiters.Place()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { turns.wait($0, at: place) }
    } onCancel: {
      // Behind this on the actor: by then the place is taken.
      Task { await self.giveUpTurn(place) }
    }
  }

  private func giveUpTurn(_ place: Waiters.Place) { turns.giveUp(place) }
}
