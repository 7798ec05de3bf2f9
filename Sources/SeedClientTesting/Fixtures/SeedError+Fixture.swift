public import SeedClient
public import SeedFormat

extension SeedError {
  /// An error as thrown by a store.
  public static func fixture(
    _ code: Code, _ message: String = "this is a fixture", neededBytes: Int? = nil,
    availableBytes: Int? = nil, retryAfter: Duration? = nil, oldestModel: ModelVersion? = nil
  ) -> SeedError {
    SeedError(
      code, message, neededBytes: neededBytes, availableBytes: availableBytes, retryAfter: retryAfter,
      oldestModel: oldestModel)
  }
}
