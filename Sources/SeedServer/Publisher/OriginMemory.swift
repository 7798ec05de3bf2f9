import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Where the publisher remembers what an origin looked like when it was last compared, so that one that nobody
/// wrote to costs no reading.
///
/// It holds one fingerprint of all that the outcome depends on: the origin's stamp, the models, the heads and the
/// stamps of the working copies. Where it is lost or differs, the origin is read.
struct OriginMemory {
  private let job: DatasetJob
  private let stateFolder: String

  init(_ job: DatasetJob, _ stateFolder: String) {
    self.job = job
    self.stateFolder = stateFolder
  }

  private var path: String { "\(stateFolder)/\(job.name).origin" }

  /// Whether nothing changed since the origin was last compared.
  func knows(_ stamp: OriginStamp, _ published: PublishedMetadata) throws -> Bool {
    let fingerprint = try fingerprint(stamp, published)
    let remembered = try DurableFile.readIfPresent(path, limit: FileLimit.metadataBytes)
    return remembered == Array(fingerprint.hex.utf8)
  }

  /// Remembers, where there is something to go by; a stamp that a later write might not change is not.
  func remember(_ stamp: OriginStamp?, _ published: PublishedMetadata) throws {
    guard let stamp, stamp.isTrustworthy else { return try Folder.remove(path) }
    try DurableFile.write(Array(try fingerprint(stamp, published).hex.utf8), to: path)
  }

  private func fingerprint(_ stamp: OriginStamp, _ published: PublishedMetadata) throws -> SHA256Digest {
    var parts = [job.originPath, stamp.text]
    for plan in job.plans {
      let state = published.series[plan.series]?.metadata.state
      let copy = try FileStamp(WorkingCopy.path(of: plan.series, in: stateFolder))
      parts += ["\(plan.series)", plan.fingerprint, state.map { "\($0.epoch) \($0.head)" } ?? ""]
      parts += [state?.hold.map { "held \($0.version) \($0.since)" } ?? ""]
      parts += [copy?.text ?? "", "\(job.isRetired(plan.series))"]
    }
    return SHA256Digest.of(JSONValue.array(parts.map { .string($0) }).bytes)
  }
}
