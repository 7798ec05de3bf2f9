extension UpdateReport {
  /// A phase that has ended.
  public struct Phase: Sendable {
    /// The phase, with its final progress.
    public let phase: UpdatePhase
    /// Its duration, excluding device sleep.
    public let duration: Duration

    /// Bytes downloaded, expanded or applied; 0 in a phase without progress.
    public var bytes: Int {
      switch phase {
      case .downloading(let bytes, _), .expanding(let bytes, _), .applying(_, let bytes, _): bytes
      case .checking, .buildingIndexes, .swapping, .finished: 0
      }
    }
  }
}
