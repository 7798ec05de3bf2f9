package import SeedFormat
package import SeedSystem
package import SeedTrust

package struct DeltaSpan: Hashable, Sendable, CustomStringConvertible {
  package let from: SeedVersion
  package let to: SeedVersion

  package init(from: SeedVersion, to: SeedVersion) { (self.from, self.to) = (from, to) }

  package var length: Int { to.number - from.number }

  package func contains(_ other: DeltaSpan) -> Bool { from <= other.from && other.to <= to }

  package var description: String { "\(from) to \(to)" }
}

extension PublishedObject {
  package var span: DeltaSpan? {
    if case .delta(let from, let to, _) = kind { DeltaSpan(from: from, to: to) } else { nil }
  }

  package func covers(_ version: SeedVersion) -> Bool {
    span.map { $0.from <= version && version < $0.to } ?? false
  }
}

extension [PublishedObject] {
  /// Returns the listed snapshots in gzip, newest first. Every snapshot exists in this encoding.
  package func snapshots() -> [PublishedObject] {
    filter { $0.span == nil && $0.encoding == .gzip }.sorted { $0.version > $1.version }
  }

  package var spans: Set<DeltaSpan> { Set(compactMap(\.span)) }

  /// The version at which the newest minor began, or the first version. No merged delta spans this version.
  package var newestMinor: SeedVersion { filter { $0.schemaBefore != nil }.map(\.version).max() ?? .first }
}

extension SeriesMetadata {
  package var newestSnapshot: PublishedObject? { objects.snapshots().first }

  /// Whether the series changed after its newest snapshot, or has no snapshot.
  package var lacksSnapshot: Bool { newestSnapshot?.version != state.head }

  /// Returns when the next snapshot is due, possibly in the past; `nil` if nothing changed since the newest one.
  package func nextSnapshot(afterSeconds seconds: Int, now: UTCTime) -> UTCTime? {
    guard lacksSnapshot, !state.lifecycle.isRetired else { return nil }
    return newestSnapshot?.publishedAt?.adding(seconds: seconds) ?? now
  }
}

package struct DiskUse: Hashable, Sendable {
  /// Bytes available to unprivileged processes.
  package let freeBytes: Double
  package let allBytes: Double

  /// A file system counts as nearly full below this free share.
  private static let leastShare = 0.05
  /// With fewer free bytes, hardly any step can write its files.
  private static let leastBytes = 1_000_000.0

  /// Returns `nil` if the path does not exist.
  package init?(of path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    self.init(
      freeBytes: Double(status.f_bavail) * Double(status.f_frsize),
      allBytes: Double(status.f_blocks) * Double(status.f_frsize))
  }

  init(freeBytes: Double, allBytes: Double) { (self.freeBytes, self.allBytes) = (freeBytes, allBytes) }

  package var isFull: Bool { freeBytes < Self.leastBytes }

  /// Whether little space is free, or less than `bytes`. The alert SeedbankDiskNearlyFull uses the same rule.
  package func isNearlyFull(beside bytes: Int) -> Bool {
    freeBytes < Self.leastShare * allBytes || freeBytes < Double(bytes)
  }
}

extension PublishedMetadata {
  package var objectBytes: Int { series.values.flatMap(\.metadata.objects).reduce(0) { $0 + $1.length } }
}
