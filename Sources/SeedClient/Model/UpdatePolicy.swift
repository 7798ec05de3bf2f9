/// Time limits of a download. They exclude the time during which the device sleeps.
public struct DownloadTimeouts: Hashable, Sendable {
  /// The repeated interval in which ``minimumBytes`` must arrive.
  public var window: Duration
  /// Bytes required per window; the default is slower than any usable network.
  public var minimumBytes: Int
  /// The limit for one file, including retries.
  public var total: Duration

  /// Limits, with the defaults of those that are not given.
  public init(
    window: Duration = .seconds(30), minimumBytes: Int = 8 * 1024, total: Duration = .seconds(6 * 3600)
  ) {
    (self.window, self.minimumBytes, self.total) = (window, minimumBytes, total)
  }
}

/// Limits on an update's networks and size.
public struct UpdatePolicy: Hashable, Sendable {
  /// Whether it may use networks that cost money, such as mobile ones. Always true on Linux.
  public var allowsExpensive: Bool
  /// Whether it may use networks in Low Data Mode. Always true on Linux.
  public var allowsConstrained: Bool
  /// The maximum bytes of snapshots and deltas; no limit if `nil`. A larger update fails with
  /// ``SeedError/Code/tooLarge`` before downloading any.
  public var maximumBytes: Int?

  /// By default everything is allowed, as for an update that the user requested.
  public init(allowsExpensive: Bool = true, allowsConstrained: Bool = true, maximumBytes: Int? = nil) {
    (self.allowsExpensive, self.allowsConstrained) = (allowsExpensive, allowsConstrained)
    self.maximumBytes = maximumBytes
  }

  /// For updates that no user waits for: avoids networks in Low Data Mode.
  public static let background = UpdatePolicy(allowsConstrained: false)
}
