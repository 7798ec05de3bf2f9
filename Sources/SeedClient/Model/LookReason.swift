/// Why an app asks for a look besides those at the publisher's pace: ``SeedStore/look(because:_:)``.
public struct LookReason: Hashable, Sendable {
  /// The time over which devices spread their looks.
  let spread: Duration

  /// Seconds of a silent push's half a minute that a look may wait: the rest is for the download.
  private static let usualSpread = Duration.seconds(13)

  /// Something told many devices at once that there is news: a push, a web socket. The look begins two to fifteen
  /// seconds later.
  public static let hint = LookReason(spread: usualSpread)

  /// As ``hint``, for more devices than the server can answer in fifteen seconds; the look begins within `spread`, two
  /// seconds from now on.
  public static func hint(within spread: Duration) -> LookReason { LookReason(spread: max(spread, .zero)) }
}
