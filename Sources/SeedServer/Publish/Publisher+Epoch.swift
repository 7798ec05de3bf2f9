import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

extension Publisher {
  /// The least version of metadata after a disaster. Clients refuse what is older than they have seen, and its
  /// version is lost. One a second is more than any publisher signs, so the clock is ahead of all of them.
  static func firstVersionAnew(_ now: UTCTime) -> Int { now.secondsSinceEpoch }

  /// After a disaster: makes a lost publication anew under the root that clients trust, or goes on with one that is
  /// too old, and begins a new history for every series. Tells what each dataset's step did.
  package func beginEpoch(
    _ jobs: [DatasetJob], root: [UInt8], now: UTCTime, _ tell: (DatasetJob, StepReport) throws -> Void
  ) throws {
    try createPublicationIfLost(jobs, root: root, now: now)
    for job in jobs { try tell(job, try step(job, .beginningEpoch, now: now)) }
  }

  private func createPublicationIfLost(_ jobs: [DatasetJob], root: [UInt8], now: UTCTime) throws {
    guard !keys[.targets].isEmpty else { throw PublicationError.epochWithoutTargetsKey }
    try refuseDoubtfulSeriesKeys()
    try Folder.create("\(publication.path)/metadata")
    try PublicationLock.withLock(publication) {
      guard (try? publication.published()) == nil else { return }
      let signer = RepositorySigner(now: now, leastVersion: Self.firstVersionAnew(now))
      let first = try signer.create(
        under: publication.newestRoot(from: root), delegating: jobs.flatMap(\.plans).map(\.series), keys: keys
      )
      try publication.keep(root: root)
      try publication.write(first.files)
    }
  }

  /// Replaced keys may lie beside the one that counts: several are taken only where the old publication names them.
  private func refuseDoubtfulSeriesKeys() throws(PublicationError) {
    let named = (try? publication.published())?.keys(of: .series)?.keyIDs ?? []
    let found = Set(keys[.series].map(\.publicKey.keyID))
    guard found.count == 1 || found == Set(named) else {
      throw PublicationError.severalSeriesKeys(count: found.count)
    }
  }
}

extension PublicationDirectory {
  /// Writes the root that clients were given, from which all others are found.
  fileprivate func keep(root bytes: [UInt8]) throws {
    let version = try TrustedMetadataSet(root: bytes, now: .distantPast).root.version
    try DurableFile.write(bytes, to: metadataFile(MetadataName.versioned(Root.type, version)))
  }

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
