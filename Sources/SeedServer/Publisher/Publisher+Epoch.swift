import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

extension Publisher {
  /// The version that metadata has at the least after a disaster.
  ///
  /// Clients refuse metadata that is older than what they have seen, and what that was is lost. One a second is more
  /// than any publisher signs, so the clock is ahead of all of them.
  static func firstVersionAnew(_ now: UTCTime) -> Int { now.secondsSinceEpoch }

  /// After a disaster: a publication that is lost is made anew under the root that clients trust, and one that is too old
  /// is taken on. Every step with ``StepOptions/beginningEpoch`` that follows begins a dataset's new history.
  func beginAnew(_ jobs: [DatasetJob], root: [UInt8], now: UTCTime) throws {
    let series = jobs.flatMap(\.plans).map(\.series)
    guard !keys[.targets].isEmpty else { throw PublicationError.epochWithoutTargetsKey }
    try refuseDoubtfulSeriesKeys()
    try Folder.create("\(publication.path)/metadata")
    try PublicationLock.hold(publication) {
      guard (try? publication.published()) == nil else { return }
      let signer = RepositorySigner(now: now, leastVersion: Self.firstVersionAnew(now))
      let first = try signer.create(
        under: publication.newestRoot(from: root), delegating: series, keys: keys)
      try publication.keep(root: root)
      try publication.write(first.files)
    }
  }
}

extension Publisher {
  /// Keys that were replaced may lie beside the one that counts. Several are taken only where the publication that is
  /// left names just these.
  private func refuseDoubtfulSeriesKeys() throws(PublicationError) {
    let named = (try? publication.published())?.keys(of: .series)?.keyIDs ?? []
    let found = Set(keys[.series].map(\.publicKey.keyID))
    guard found.count == 1 || found == Set(named) else {
      throw PublicationError.severalSeriesKeys(count: found.count)
    }
  }
}

extension PublicationDirectory {
  /// Lays the root that was handed out to clients where all others are found from.
  fileprivate func keep(root bytes: [UInt8]) throws {
    let version = try TrustedMetadataSet(root: bytes, now: .distantPast).root.version
    try DurableFile.write(bytes, to: "\(path)/metadata/\(MetadataName.versioned(Root.type, version))")
  }

  /// The last root that is still there of those that follow one another.
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
