import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust

/// Verifies a series' deltas, from the oldest snapshot upward. Applies each delta to the lowest rebuilt version that it
/// covers, and compares the result with the signed digest. After a gap in the deltas, continues at the next snapshot.
struct ChainVerification {
  private let publication: PublicationDirectory
  private let snapshots: [PublishedObject]
  private var pending: [PublishedObject]
  private var proven: [PublishedObject] = []
  private let file: String

  /// The objects must have passed their own checks. Only gzip snapshots are starting points.
  init(_ publication: PublicationDirectory, _ objects: [PublishedObject], scratch: String) {
    self.publication = publication
    file = "\(scratch)/chain.sqlite"
    snapshots = objects.snapshots().reversed()
    pending = objects.filter { $0.span != nil }
  }

  mutating func run(_ report: inout VerificationReport) throws {
    defer { try? WorkingCopy.remove(file) }
    var start = snapshots.first
    var walks: [DeltaSpan] = []
    while let base = start {
      let end = try walk(from: base, &report)
      walks.append(DeltaSpan(from: base.version, to: end))
      start = snapshots.first { $0.version > end }
    }
    let oldest = walks.first?.from ?? .first
    // After a new minor, the floor stays below the oldest snapshot, because older clients need the minor's first delta.
    let passed = pending.filter { delta in
      delta.span.map { span in span.from < oldest || walks.contains { $0.contains(span) } } ?? false
    }
    report.deltasByHash += passed.count
    // Without a readable snapshot, no delta can be applied. The missing snapshot is reported separately.
    for delta in pending where !snapshots.isEmpty && !passed.contains(delta) && publication.stillNames(delta)
    {
      report.error(
        delta.filePath, "the lowest version that it updates cannot be rebuilt from a snapshot",
        remedy: Remedy.snapshot)
    }
  }

  private mutating func walk(
    from base: PublishedObject, _ report: inout VerificationReport
  ) throws -> SeedVersion {
    var seed = try WorkingCopy(expanding: base, in: publication, to: file)
    try seed.connection.execute("PRAGMA synchronous = OFF")
    var version = base.version
    while let next = try advance(&seed, at: version, &report) {
      version = next.version
      for snapshot in snapshots where snapshot.version == version && snapshot.digest != next.digest {
        report.error(
          snapshot.filePath, "its rows differ from the result of the deltas at version \(version)",
          remedy: Remedy.snapshot)
      }
    }
    return version
  }

  /// Tries the pending deltas that cover this version. Applies and returns the valid one with the lowest end.
  private mutating func advance(
    _ seed: inout WorkingCopy, at version: SeedVersion, _ report: inout VerificationReport
  ) throws -> PublishedObject? {
    for step in pending.filter({ $0.covers(version) }) {
      do {
        try seed.connection.execute("BEGIN IMMEDIATE")
        defer { seed.connection.rollBack() }
        var trial = seed
        try trial.apply(publication.pieces(step), signed: step)
        report.deltas += 1
        proven.append(step)
      } catch  where error.saysHindrance {
        throw error
      } catch  where publication.stillNames(step) {
        report.error(
          step.filePath, "it cannot be applied to version \(version): \(error.cause)", remedy: Remedy.snapshot
        )
      } catch {
        // A publisher has removed the delta meanwhile, so clients no longer use it.
      }
    }
    pending.removeAll { $0.covers(version) }
    let smallest = proven.filter { $0.covers(version) }.min { $0.version < $1.version }
    if let smallest { try seed.apply([smallest], from: publication) }
    return smallest
  }
}
