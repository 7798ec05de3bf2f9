import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// Verifies a publication's metadata file by file, and continues after a bad file as far as possible.
struct MetadataVerification {
  let publication: PublicationDirectory
  let now: UTCTime
  private(set) var series: [SeedSeries: SeriesMetadata] = [:]

  mutating func run(_ report: inout VerificationReport) {
    // Ignores expiry here because each role's expiry is reported separately.
    guard var trusted = verifyRoots(&report) else { return }
    let isKnown =
      verify(MetadataName.unversioned(Timestamp.type), &report) { _ = try trusted.updateTimestamp($0) }
      && verify(versioned(SnapshotRole.type, trusted.timestamp?.snapshot.version), &report) {
        try trusted.updateSnapshot($0)
      }
      && verify(versioned(Targets.type, try? trusted.announced(Targets.type).version), &report) {
        try trusted.updateTargets($0)
      }
    checkExpiries(trusted, &report)
    guard isKnown else { return }
    let delegates = trusted.targets[Targets.type]?.delegations?.roles ?? []
    for one in delegates.compactMap({ SeedSeries(roleName: $0.name) })
    where trusted.snapshot?.lists(one) == true { verify(one, &trusted, &report) }
  }

  private func verifyRoots(_ report: inout VerificationReport) -> TrustedMetadataSet? {
    var trusted: TrustedMetadataSet?
    // Root versions before a gap belong to an earlier chain of trust, whose keys were lost.
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
    _ one: SeedSeries, _ trusted: inout TrustedMetadataSet, _ report: inout VerificationReport
  ) {
    let name = versioned(one.roleName, try? trusted.announced(one.roleName).version)
    var metadata: SeriesMetadata?
    _ = verify(name, &report) { bytes in
      try trusted.updateTargets(bytes, role: one.roleName, delegator: Targets.type)
      metadata = try trusted.series(one)
    }
    guard let metadata, let role = trusted.targets[one.roleName] else { return }
    series[one] = metadata
    checkExpiry(role.header, name, isOffline: false, &report)
  }

  private func versioned(_ role: String, _ version: Int?) -> String {
    MetadataName.versioned(role, version ?? 0)
  }

  private func verify(
    _ name: String, _ report: inout VerificationReport, _ accept: ([UInt8]) throws -> Void
  ) -> Bool {
    let path = "metadata/\(name)"
    report.metadataFiles += 1
    do {
      if let bytes = try publication.metadata(name) {
        try accept(bytes)
        return true
      }
      report.error(path, "it is missing")
    } catch { report.error(path, "\(error)") }
    return false
  }

  private func checkExpiries(_ trusted: TrustedMetadataSet, _ report: inout VerificationReport) {
    let (root, targets, snapshot) = (trusted.root, trusted.targets[Targets.type], trusted.snapshot)
    checkExpiry(root.header, versioned(Root.type, root.version), isOffline: true, &report)
    checkExpiry(targets?.header, versioned(Targets.type, targets?.version), isOffline: true, &report)
    checkExpiry(snapshot?.header, versioned(SnapshotRole.type, snapshot?.version), isOffline: false, &report)
    let timestamp = MetadataName.unversioned(Timestamp.type)
    checkExpiry(trusted.timestamp?.header, timestamp, isOffline: false, &report)
  }

  private func checkExpiry(
    _ header: RoleHeader?, _ name: String, isOffline: Bool, _ report: inout VerificationReport
  ) {
    guard let expires = header?.expires else { return }
    let remedy = isOffline ? "renew it with 'seedbank keys renew'" : Remedy.regenerate
    if expires <= now {
      report.error("metadata/\(name)", "it expired at \(expires): no client accepts it", remedy: remedy)
    } else if isOffline, expires <= now.adding(days: SignatureExpiry.warningDays) {
      report.add(.warning, "metadata/\(name)", "it expires at \(expires)", remedy: remedy)
    }
  }
}
