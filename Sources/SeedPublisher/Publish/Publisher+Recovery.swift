package import SeedSystem
package import SeedTrust

extension Publisher {
  /// Metadata versions that may have been lost with a disk. The clock alone is not enough, because several datasets and
  /// an earlier recovery may use more than one version per second.
  static let lostVersions = 10_000

  /// Signs all metadata of a publication restored from a copy. The copy may lack the newest metadata, whose versions
  /// clients have seen, so the new versions are above all possible ones.
  package func signAnew(lifetimeSeconds: Int, now: UTCTime) throws -> PublishedMetadata {
    try withPublication { published in
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      try update.signAnew()
      return update.published
    }
  }
}
