/// What an update may do.
public struct UpdatePolicy: Hashable, Sendable {
  /// Whether it may use networks that cost money, such as mobile ones. On Linux, which does not tell, it always may.
  public var allowsExpensive: Bool
  /// Whether it may use networks that the user asked apps to spare (Low Data Mode). On Linux it always may.
  public var allowsConstrained: Bool
  /// Bytes of snapshots and deltas that it may download; all if `nil`. An update that needs more fails with
  /// ``SeedError/Code/tooLarge`` before the first of them.
  public var maximumBytes: Int?

  /// A policy; by default everything is allowed, as for an update that the user asked for.
  public init(allowsExpensive: Bool = true, allowsConstrained: Bool = true, maximumBytes: Int? = nil) {
    self.allowsExpensive = allowsExpensive
    self.allowsConstrained = allowsConstrained
    self.maximumBytes = maximumBytes
  }

  /// For updates that nobody waits for: they spare the networks that the user asked to spare.
  public static let background = UpdatePolicy(allowsConstrained: false)
}

extension UpdatePolicy {
  /// Throws if a plan downloads more than is allowed.
  func check(_ plan: UpdatePlan) throws(SeedError) {
    guard let maximumBytes, plan.bytes > maximumBytes else { return }
    throw SeedError(
      .tooLarge,
      "the update would download \(plan.bytes) bytes, its policy allows \(maximumBytes): wait for a better network "
        + "or allow more",
      neededBytes: plan.bytes, availableBytes: maximumBytes)
  }
}
