import SeedSystem
package import SeedTrust

/// The room on a disk.
package struct DiskUse: Hashable, Sendable {
  /// What a process without special rights may still write.
  package let freeBytes: Double
  package let allBytes: Double

  /// The share of a disk below which it is nearly full, whatever lies on it.
  private static let leastShare = 0.05

  /// `nil` where nothing has that path.
  package init?(of path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    self.init(
      freeBytes: Double(status.f_bavail) * Double(status.f_frsize),
      allBytes: Double(status.f_blocks) * Double(status.f_frsize))
  }

  init(freeBytes: Double, allBytes: Double) { (self.freeBytes, self.allBytes) = (freeBytes, allBytes) }

  /// Whether a step may fail for want of room: it makes new files beside those that are there, at worst all of them
  /// anew. The alert SeedbankDiskNearlyFull has the same rule.
  package func isNearlyFull(beside bytes: Int) -> Bool {
    freeBytes < Self.leastShare * allBytes || freeBytes < Double(bytes)
  }
}

extension PublishedMetadata {
  /// Bytes of all published snapshots and deltas.
  package var objectBytes: Int { series.values.flatMap(\.metadata.objects).reduce(0) { $0 + $1.length } }
}
