import SeedDatabase
package import SeedFormat
package import SeedPublication
package import SeedSystem
import SeedTrust

/// Verifies a whole publication as strictly as a client and reports every problem. Writes nothing to it and does not
/// stop at the first problem. Memory is bounded because files are read in pieces and rows one at a time.
package struct PublicationVerifier {
  let publication: PublicationDirectory
  let scratch: String
  private let dataset: DatasetName?
  private let anchor: String?
  private let now: UTCTime
  private let progress: (String) -> Void

  /// Verifies one dataset or all. `scratch` is a folder for temporary files, `anchor` the root shipped with apps.
  package init(
    _ publication: PublicationDirectory, scratch: String, anchor: String? = nil, now: UTCTime,
    dataset: DatasetName? = nil, progress: @escaping (String) -> Void = { _ in }
  ) {
    (self.publication, self.scratch, self.anchor) = (publication, scratch, anchor)
    (self.now, self.dataset, self.progress) = (now, dataset, progress)
  }

  /// Throws only if verification is impossible, for example if the disk of `scratch` is full.
  package func run() throws -> VerificationReport {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    var report = VerificationReport()
    var metadata = MetadataVerification(publication: publication, now: now)
    metadata.run(&report)
    checkRoots(&report)
    for (series, published) in metadata.series.sorted(by: { $0.key < $1.key })
    where dataset == nil || dataset == series.dataset {
      report.series += 1
      try verify(published, &report)
    }
    return report
  }

  private func checkRoots(_ report: inout VerificationReport) {
    do { try publication.checkRoots(shipped: anchor) } catch PublicationError.otherRoot {
      // This error is reported below.
    } catch { return report.error("\(publication.path)/metadata", "\(error)") }
    if let lack = try? publication.lackOfRoots() {
      report.add(
        .note, "\(publication.path)/metadata", lack,
        remedy: "if a backup, a mirror or a follower has earlier files N.root.json, copy them there")
    }
    for version in (try? publication.missingLastRoots()) ?? [] {
      report.add(
        .note, "metadata/\(MetadataName.versioned(Root.type, version))",
        "it is missing, so apps with an earlier root cannot follow", remedy: Remedy.restore)
    }
    if let anchor { checkAnchor(anchor, &report) }
  }

  private func checkAnchor(_ anchor: String, _ report: inout VerificationReport) {
    do {
      guard let bytes = try DurableFile.readIfPresent(anchor, limit: Limits.rootBytes) else {
        return report.add(.note, anchor, "it is missing, so it was not checked", remedy: "no action needed")
      }
      let names = try Folder.names(in: "\(publication.path)/metadata").filter { $0.hasSuffix(".root.json") }
      guard try names.contains(where: { try publication.metadata($0) == bytes }) else {
        return report.error(
          anchor, "it is not a root of this publication: apps that ship it reject this publication",
          remedy: "restore a root.json and a publication that belong together")
      }
    } catch { report.error(anchor, "\(error)") }
  }

  private func verify(_ published: SeriesMetadata, _ report: inout VerificationReport) throws {
    let good = try published.objects.filter { object in
      progress("\(published.series): \(object.fileName)")
      return try check(object, &report)
    }
    progress("\(published.series): the deltas")
    var chain = ChainVerification(publication, good, scratch: scratch)
    do {
      try chain.run(&report)
    } catch  where !error.saysHindrance {
      let isCurrent = good.allSatisfy(publication.stillNames)
      let cause = isCurrent ? error.cause : "a version was published meanwhile"
      report.add(
        isCurrent ? .error : .note, "\(published.series)", "not all deltas were applied: \(cause)",
        remedy: "verify again")
    }
    checkCoverage(published, &report)
  }

  /// Checks that there is a snapshot, and that deltas lead to the head from every version down to the promised floor.
  private func checkCoverage(_ published: SeriesMetadata, _ report: inout VerificationReport) {
    let (state, role) = (published.state, "\(published.series)")
    let lowest = DeltaLevels.lowestCovered(published.objects.spans, head: state.head)
    if lowest > state.floor {
      report.error(
        role,
        "no deltas lead to the newest version from version \(state.floor) or any other version below \(lowest)",
        remedy: Remedy.snapshot)
    }
    guard let newest = published.newestSnapshot else {
      return report.error(role, "no snapshot is listed", remedy: Remedy.snapshot)
    }
    if newest.version < lowest {
      report.error(newest.filePath, "no deltas lead from it to the newest version", remedy: Remedy.snapshot)
    }
  }
}

package struct VerificationReport: Sendable {
  package internal(set) var findings: [Finding] = []
  package internal(set) var series = 0
  package internal(set) var metadataFiles = 0
  package internal(set) var objects = 0
  package internal(set) var bytes = 0
  /// The number of snapshots whose rows were hashed.
  package internal(set) var snapshots = 0
  package internal(set) var deltas = 0
  /// The number of deltas that apply to no version rebuilt from snapshots, so only their hashes were checked.
  package internal(set) var deltasByHash = 0

  package var isSound: Bool { findings.areSound }

  mutating func add(_ severity: Finding.Severity, _ path: String, _ problem: String, remedy: String) {
    findings.append(Finding(severity, path, problem, remedy: remedy))
  }

  mutating func error(_ path: String, _ problem: String, remedy: String = Remedy.restore) {
    add(.error, path, problem, remedy: remedy)
  }
}

enum Remedy {
  static let restore = "restore it from a backup, a mirror or a follower's copy"
  /// A requested snapshot replaces lost ones. Each raises the lowest version from which deltas start, until a damaged
  /// delta is no longer listed.
  static func restore(_ object: PublishedObject) -> String {
    "\(restore); if none has it, run 'seedbank regenerate --dataset \(object.series.dataset) --snapshot'"
      + (object.span == nil
        ? "" : " now and after each of the next changes until this file is no longer listed")
  }
  static let regenerate = "run 'seedbank regenerate'"
  static let snapshot =
    "compare the versions with 'seedbank diff' and publish a new snapshot with 'seedbank regenerate --snapshot'"
}
