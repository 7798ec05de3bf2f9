import SeedDatabase
package import SeedFormat
package import SeedSystem
import SeedTrust

/// Looks at a whole publication as the most suspicious client would, and names all that is wrong with it.
///
/// Nothing is written, and nothing stops at the first thing found. Memory is bounded: files and
/// documents are read in pieces, rows one at a time.
package struct PublicationVerifier {
  private let publication: PublicationDirectory
  private let stateFolder: String
  private let scratch: String
  private let anchor: String?
  private let now: UTCTime
  private let dataset: DatasetName?
  /// Told what is looked at next.
  private let progress: (String) -> Void

  /// Verifies one dataset's objects, or those of all; `scratch` is a folder for files of the moment, `anchor`
  /// the root that apps are shipped with.
  package init(
    _ publication: PublicationDirectory, stateFolder: String, scratch: String, anchor: String? = nil,
    now: UTCTime, dataset: DatasetName? = nil, progress: @escaping (String) -> Void = { _ in }
  ) {
    self.publication = publication
    self.stateFolder = stateFolder
    self.scratch = scratch
    self.anchor = anchor
    self.now = now
    self.dataset = dataset
    self.progress = progress
  }

  /// Looks at everything. Throws only where it could not look at all.
  package func run() throws -> VerificationReport {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    var report = VerificationReport()
    var metadata = MetadataVerification(publication, now: now)
    metadata.run(&report)
    if let anchor { AnchorVerification(publication: publication, anchor: anchor).run(&report) }
    for (series, published) in metadata.series.sorted(by: { $0.key < $1.key }) where isChosen(series) {
      report.series += 1
      try verify(published, metadata.series, &report)
      progress("\(series): the working copy")
      CopyVerification(publication: publication, stateFolder: stateFolder, series: series).run(&report)
    }
    // Where a role could not be read nobody knows what it names.
    if Set(metadata.delegated).isSubset(of: metadata.series.keys), !metadata.delegated.isEmpty {
      try listUnnamed(metadata, &report)
    }
    return report
  }

  private func isChosen(_ series: Series) -> Bool { dataset.map { $0 == series.dataset } ?? true }

  // MARK: Objects

  private func verify(
    _ published: SeriesMetadata, _ all: [Series: SeriesMetadata], _ report: inout VerificationReport
  ) throws {
    let known = all.values.flatMap(\.objects).map { ($0.sha256, $0.filePath) }
    let objects = ObjectVerification(
      publication: publication, scratch: scratch, known: Dictionary(known) { first, _ in first })
    let good = published.objects.filter { object in
      progress("\(published.series): \(object.fileName)")
      return objects.check(object, &report)
    }
    progress("\(published.series): the deltas")
    for schema in Set(good.map(\.schema)) {
      let objects = good.filter { $0.schema == schema }
      var chain = ChainVerification(publication, objects, scratch: scratch)
      do {
        try chain.run(&report)
      } catch  where !objects.allSatisfy(publication.stillNames) {
        report.add(
          .note, "\(published.series)", "the deltas were not all applied: something was published meanwhile",
          remedy: "verify again")
      }
    }
    checkCoverage(published, &report)
  }

  /// What metadata promises: a snapshot to begin with, and a way to the head from every version above the floor.
  private func checkCoverage(_ published: SeriesMetadata, _ report: inout VerificationReport) {
    let (state, role) = (published.state, "\(published.series)")
    let lowest = ChainCoverage(published: published).lowest
    if lowest > state.floor {
      report.error(
        role, "no deltas lead to the head from versions \(state.floor) to below \(lowest)",
        remedy: Remedy.snapshot)
    }
    guard let newest = published.newestSnapshot else {
      return report.error(role, "no snapshot is listed", remedy: Remedy.snapshot)
    }
    if newest.version < lowest {
      report.error(
        newest.filePath, "no deltas lead on from the newest snapshot to the head", remedy: Remedy.snapshot)
    }
  }

  // MARK: What nothing names

  private func listUnnamed(_ metadata: MetadataVerification, _ report: inout VerificationReport) throws {
    let objects = metadata.series.values.flatMap(\.objects).map(\.filePath)
    report.unnamed = try UnnamedFiles(publication: publication).paths(named: metadata.named.union(objects))
      .filter(isChosen)
  }

  private func isChosen(_ path: String) -> Bool {
    guard let dataset, path.hasPrefix("targets/") else { return true }
    return path.hasPrefix("targets/\(dataset)/")
  }
}
