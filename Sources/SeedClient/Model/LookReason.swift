/// The reason for a look outside the publisher's pace: ``SeedStore/look(because:_:)``.
public struct LookReason: Hashable, Sendable {
  let spread: Duration

  /// Seconds of a silent push's 30 that a look may wait; the rest is for the download.
  private static let usualSpread = Duration.seconds(13)

  /// A push, a web socket or the like announced news to many devices. The look begins two to fifteen seconds later.
  public static let hint = LookReason(spread: usualSpread)

  /// Like ``hint``, for more devices than the server can answer in fifteen seconds: the look begins at a random time
  /// within `spread`, after two seconds.
  public static func hint(within spread: Duration) -> LookReason { LookReason(spread: max(spread, .zero)) }
}
