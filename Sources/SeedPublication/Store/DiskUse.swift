import SeedSystem
package import SeedTrust

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

  /// Whether rewriting every file could fill the disk. The alert SeedbankDiskNearlyFull uses the same rule.
  package func isNearlyFull(beside bytes: Int) -> Bool {
    freeBytes < Self.leastShare * allBytes || freeBytes < Double(bytes)
  }
}

extension PublishedMetadata {
  package var objectBytes: Int { series.values.flatMap(\.metadata.objects).reduce(0) { $0 + $1.length } }
}
