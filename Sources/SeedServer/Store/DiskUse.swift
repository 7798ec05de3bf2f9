import SeedSystem
package import SeedTrust

/// The space on a file system.
package struct DiskUse: Hashable, Sendable {
  /// Bytes available to unprivileged processes.
  package let freeBytes: Double
  package let allBytes: Double

  /// A file system counts as nearly full below this free share.
  private static let leastShare = 0.05

  /// Returns `nil` if the path does not exist.
  package init?(of path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    self.init(
      freeBytes: Double(status.f_bavail) * Double(status.f_frsize),
      allBytes: Double(status.f_blocks) * Double(status.f_frsize))
  }

  init(freeBytes: Double, allBytes: Double) { (self.freeBytes, self.allBytes) = (freeBytes, allBytes) }

  /// Whether a step may run out of space. In the worst case it writes a new copy of every file beside the old ones. The
  /// alert SeedbankDiskNearlyFull uses the same rule.
  package func isNearlyFull(beside bytes: Int) -> Bool {
    freeBytes < Self.leastShare * allBytes || freeBytes < Double(bytes)
  }
}

extension PublishedMetadata {
  /// The total size of all published snapshots and deltas.
  package var objectBytes: Int { series.values.flatMap(\.metadata.objects).reduce(0) { $0 + $1.length } }
}
