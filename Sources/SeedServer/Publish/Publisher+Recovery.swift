package import SeedSystem
package import SeedTrust

extension Publisher {
  /// Versions of metadata that may have been lost with a disk. They may be ahead of the clock, for steps of several
  /// datasets, and of an earlier recovery, can be more than one a second.
  static let lostVersions = 10_000

  /// Signs all of a publication anew that was made from a copy. The copy may lack what was signed last, and clients have
  /// seen the versions of that metadata; so these lie above all of them, as after a disaster.
  package func signAnew(lifetimeSeconds: Int, now: UTCTime) throws -> PublishedMetadata {
    try withPublication { published in
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      try update.signAnew()
      return update.published
    }
  }
}
