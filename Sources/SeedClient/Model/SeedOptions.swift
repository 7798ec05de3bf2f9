/// What an app can choose about its store.
public struct SeedOptions: Sendable {
  /// Is told of the phases of every update, on a thread of the library's; see ``SeedStore/updatePhases(_:)``.
  public var onPhase: @Sendable (UpdatePhase) -> Void = { _ in }
  /// How long downloads may take.
  public var patience = SeedPatience()

  /// The defaults.
  public init() {}
}

/// How long a download may take before it counts as failed. Time in which the device sleeps does not count.
public struct SeedPatience: Hashable, Sendable {
  /// The time in which ``leastBytes`` must arrive, again and again until a file is there.
  public var window = Duration.seconds(30)
  /// Bytes that must arrive in each window; the default is slower than any network that is of use.
  public var leastBytes = 8 * 1024
  /// The time that one file has altogether, all attempts included.
  public var total = Duration.seconds(6 * 3600)

  /// The defaults.
  public init() {}
}
