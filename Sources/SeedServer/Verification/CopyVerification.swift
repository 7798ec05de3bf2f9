import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Compares a working copy with the published head: its version, and the digest of its rows.
struct CopyVerification {
  let publication: PublicationDirectory
  let stateFolder: String
  let series: Series

  private var path: String { WorkingCopy.path(of: series, in: stateFolder) }

  /// No publisher may be at work meanwhile; where one is, that is all there is to say.
  func run(_ report: inout VerificationReport) {
    do {
      try PublicationLock.hold(publication) {
        // Read under the lock: what was read before may be a version behind.
        guard let published = try publication.published().series[series]?.metadata else { return }
        try compare(published, &report)
      }
    } catch PublicationError.locked {
      report.add(
        .note, path, "it was not looked at: a publisher is at work", remedy: "verify again when it is done")
    } catch {
      report.add(.warning, path, "\(error)", remedy: Self.remedy)
    }
  }

  /// A publisher compares every row with the copy, so what is wrong with it does not get far.
  private static let remedy = "\(Remedy.regenerate): the copy is made anew from the publication"

  private func compare(_ published: SeriesMetadata, _ report: inout VerificationReport) throws {
    guard Folder.exists(path) else {
      return report.add(.note, path, "there is no working copy", remedy: Self.remedy)
    }
    let copy = try Connection(path, .writer)
    let (meta, head) = (try SeedTables.meta(copy), published.state.head)
    guard meta.epoch == published.state.epoch, meta.series == series else {
      return report.error(path, "the copy belongs to another history", remedy: Self.remedy)
    }
    guard meta.version <= head else {
      return report.error(
        path, "the copy is at version \(meta.version), ahead of the publication's \(head)",
        remedy: "restore the newest backup of the publication")
    }
    let sums = try SeedCheck(copy, try SchemaReader(copy).schema()).sums()
    guard StateDigest.of(sums) == meta.digest else {
      return report.error(path, "the copy's rows are not those of its digest", remedy: Self.remedy)
    }
    guard meta.version == head else {
      return report.add(
        .warning, path, "the copy is at version \(meta.version), the head is \(head)",
        remedy: Remedy.regenerate)
    }
    let signed = published.objects.first { $0.version == head && $0.schema == meta.schema }
    if let signed, signed.digest != meta.digest {
      report.error(path, "the copy's rows are not those of the published head", remedy: Self.remedy)
    }
  }
}
