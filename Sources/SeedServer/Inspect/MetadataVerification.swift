import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Verifies a publication's metadata file by file, and goes on where one bad file leaves something to look at.
struct MetadataVerification {
  private let publication: PublicationDirectory
  private let now: UTCTime
  /// The metadata files that count, by their paths within the publication.
  private(set) var named: Set<String> = []
  /// The series whose roles are good.
  private(set) var series: [Series: SeriesMetadata] = [:]
  /// The series that are delegated to, whether their roles are good or not.
  private(set) var delegated: [Series] = []

  init(_ publication: PublicationDirectory, now: UTCTime) {
    self.publication = publication
    self.now = now
  }

  /// Walks from the first root to the series' roles.
  mutating func run(_ report: inout VerificationReport) {
    // Nothing counts as expired here: that is told for each role by itself.
    guard var trusted = verifyRoots(&report) else { return }
    let isKnown =
      verify(MetadataName.unversioned(Timestamp.type), &report) { bytes in
        _ = try trusted.updateTimestamp(bytes)
      }
      && verify(versioned(SnapshotRole.type, trusted.timestamp?.snapshot.version), &report) { bytes in
        try trusted.updateSnapshot(bytes)
      }
      && verify(versioned(Targets.type, try? trusted.announced(Targets.type).version), &report) { bytes in
        try trusted.updateTargets(bytes)
      }
    checkExpiries(trusted, &report)
    guard isKnown else { return }
    delegated = (trusted.targets[Targets.type]?.delegations?.roles ?? []).compactMap {
      Series(roleName: $0.name)
    }
    for one in delegated where trusted.snapshot?.meta["\(one.roleName).json"] != nil {
      verify(one, &trusted, &report)
    }
  }

  // MARK: Roles

  private mutating func verifyRoots(_ report: inout VerificationReport) -> TrustedMetadataSet? {
    var trusted: TrustedMetadataSet?
    // Roots before a gap are those of a chain whose keys were lost.
    let versions = (try? publication.rootChains().last) ?? 1...1
    let isFirstGood = verify(MetadataName.versioned(Root.type, versions.lowerBound), &report) { bytes in
      trusted = try TrustedMetadataSet(root: bytes, now: .distantPast)
    }
    guard isFirstGood, var chain = trusted else { return nil }
    while chain.root.version < versions.upperBound {
      let next = MetadataName.versioned(Root.type, chain.root.version + 1)
      guard verify(next, &report, { bytes in try chain.updateRoot(bytes) }) else { return nil }
    }
    return chain
  }

  private mutating func verify(
    _ one: Series, _ trusted: inout TrustedMetadataSet, _ report: inout VerificationReport
  ) {
    let name = versioned(one.roleName, try? trusted.announced(one.roleName).version)
    var metadata: SeriesMetadata?
    _ = verify(name, &report) { bytes in
      try trusted.updateDelegated(bytes, role: one.roleName)
      metadata = try trusted.series(one)
    }
    guard let metadata, let role = trusted.targets[one.roleName] else { return }
    series[one] = metadata
    checkExpiry(role.expires, name, isOffline: false, &report)
  }

  private func versioned(_ role: String, _ version: Int?) -> String {
    MetadataName.versioned(role, version ?? 0)
  }

  /// Reads a file and takes it in; whether that went well.
  private mutating func verify(
    _ name: String, _ report: inout VerificationReport, _ accept: ([UInt8]) throws -> Void
  ) -> Bool {
    let path = "metadata/\(name)"
    named.insert(path)
    report.metadataFiles += 1
    do {
      guard let bytes = try publication.metadata(name) else {
        report.error(path, "it is missing")
        return false
      }
      try accept(bytes)
      return true
    } catch {
      report.error(path, "\(error)")
      return false
    }
  }

  // MARK: Expiry

  private func checkExpiries(_ trusted: TrustedMetadataSet, _ report: inout VerificationReport) {
    let root = trusted.root
    checkExpiry(root.expires, MetadataName.versioned(Root.type, root.version), isOffline: true, &report)
    if let role = trusted.targets[Targets.type] {
      checkExpiry(role.expires, versioned(Targets.type, role.version), isOffline: true, &report)
    }
    if let role = trusted.snapshot {
      checkExpiry(role.expires, versioned(SnapshotRole.type, role.version), isOffline: false, &report)
    }
    if let role = trusted.timestamp {
      checkExpiry(role.expires, MetadataName.unversioned(Timestamp.type), isOffline: false, &report)
    }
  }

  private func checkExpiry(
    _ expires: UTCTime, _ name: String, isOffline: Bool, _ report: inout VerificationReport
  ) {
    let remedy = isOffline ? "sign it anew with 'seedbank keys renew'" : Remedy.regenerate
    if expires <= now {
      report.error("metadata/\(name)", "it expired at \(expires): no client accepts it", remedy: remedy)
    } else if isOffline, expires <= now.adding(days: RepositorySigner.warningDays) {
      report.add(.warning, "metadata/\(name)", "it expires at \(expires)", remedy: remedy)
    }
  }
}
