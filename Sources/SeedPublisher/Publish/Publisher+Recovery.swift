import SeedDatabase
package import SeedFormat
import SeedPublication
import SeedSigning
package import SeedSystem
package import SeedTrust

extension Publisher {
  /// Returns the first metadata version after a disaster. Clients reject versions below the last, which is
  /// lost. On average, a publisher signs less than one version per second, so the Unix time is higher.
  static func versionAfterLoss(_ now: UTCTime) -> Int { now.secondsSinceEpoch }

  /// Recovers after a disaster: recreates a lost publication under the clients' root, or continues an outdated one.
  /// Starts a new history for every series. `removed` are series that only clients know. Passes each report to `tell`,
  /// even if its step failed after publishing.
  package func beginEpoch(
    _ jobs: [DatasetJob], removed: [SeedSeries] = [], root: [UInt8], now: UTCTime,
    _ tell: (DatasetJob, StepReport) throws -> Void
  ) throws {
    // The folder of an unfinished `recover` blocks other steps. It stays until all datasets have a new epoch.
    let given = FollowFolder.isBegun(in: publication.path) ? try FollowFolder(publication.path) : nil
    let lost = try Set(removed + knownSeries(jobs))
    try createPublicationIfLost(jobs, lost, root: root, now: now)
    for job in jobs {
      var report = StepReport()
      let result = Result { try step(job, .beginningEpoch(after: lost), now: now, &report) }
      if !report.isUnchanged { try tell(job, report) }
      try result.get()
    }
    try given?.release()
  }

  /// The series of the configuration, and those named by files that outlived the publication.
  private func knownSeries(_ jobs: [DatasetJob]) throws -> [SeedSeries] {
    let configured = try jobs.flatMap { job in
      try job.plans.map(\.series) + job.policy.lifecycles.keys.map { try SeedSeries(job.name, major: $0) }
    }
    let files = try Folder.names(in: "\(publication.path)/metadata") + Folder.names(in: stateFolder)
    let parts = files.flatMap { $0.split(separator: ".") }
    return configured + parts.compactMap { SeedSeries(roleName: String($0)) }
  }

  private func createPublicationIfLost(
    _ jobs: [DatasetJob], _ lostSeries: Set<SeedSeries>, root: [UInt8], now: UTCTime
  ) throws {
    guard !keys[.targets].isEmpty else { throw PublicationError.epochWithoutTargetsKey }
    try refuseDoubtfulSeriesKeys()
    try Folder.create("\(publication.path)/metadata")
    try publication.lock.hold(.short) {
      try publication.checkRoots(shipped: shippedRoot)
      let published = try? publication.published()
      // The claim lets mirrors replace the lost publication's files. It comes first, in case a later step fails.
      let lost = max(Self.versionAfterLoss(now), published?.timestamp.version ?? 0)
      try MirrorInheritance.claim(below: lost, in: stateFolder)
      guard published == nil else { return }
      let signer = RepositorySigner(
        now: now, leastVersion: Self.versionAfterLoss(now), lostSeries: lostSeries)
      let first = try signer.create(
        under: publication.newestRoot(from: root), delegating: jobs.flatMap(\.updatedSeries), keys: keys)
      let version = try TrustedMetadataSet(root: root, now: .distantPast).root.version
      try DurableFile.write(root, to: publication.metadataFile(MetadataName.versioned(Root.type, version)))
      try publication.write(first.files)
    }
  }

  /// How many metadata versions may have been lost with a disk. The Unix time alone may be too low,
  /// because several datasets or an earlier recovery may have used more than one version per second.
  static let lostVersions = 10_000

  /// Signs all metadata of a publication that was restored from a copy. Clients may have seen newer versions than the
  /// copy has, so the new versions are above any that they can have seen.
  package func signAll(lifetimeSeconds: Int, now: UTCTime) throws -> PublishedMetadata {
    try withPublication { published in
      // A state folder that outlived the publication may have working copies at lost versions.
      for series in published.delegatedSeries {
        try WorkingCopy.remove(WorkingCopy.path(of: series, in: stateFolder))
      }
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      try update.signAll()
      return update.published
    }
  }

  /// Rejects several series keys, which may include old ones, unless the old publication names exactly these.
  private func refuseDoubtfulSeriesKeys() throws(PublicationError) {
    let named = (try? publication.published())?.keys(of: .series)?.keyIDs ?? []
    let found = Set(keys[.series].map(\.publicKey.keyID))
    guard found.count == 1 || found == Set(named) else {
      throw PublicationError.severalSeriesKeys(count: found.count)
    }
  }
}

extension PublicationDirectory {
  fileprivate func newestRoot(from first: [UInt8]) throws -> [UInt8] {
    var trusted = try TrustedMetadataSet(root: first, now: .distantPast)
    var newest = first
    while let next = try metadata(MetadataName.versioned(Root.type, trusted.root.version + 1)) {
      try trusted.updateRoot(next)
      newest = next
    }
    return newest
  }
}
