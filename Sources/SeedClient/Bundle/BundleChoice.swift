import SeedDatabase
import SeedFormat
import SeedTrust

/// Which of two a store starts with: what it has, or what the app brought along. Pure.
///
///  1. A bundle that the app's model cannot open is no choice.
///  2. Without data that the app's model can open, the bundle is taken, however old it is: the next update replaces
///     it.
///  3. In one epoch the higher version wins, and of two equal ones what is there.
///  4. Versions of two epochs cannot be compared. The bundle's epoch is the newer one if its metadata is newer than
///     the newest that this device has trusted.
///  5. A snapshot that failed here before is not tried again.
package enum BundleChoice: Hashable, Sendable {
  /// Goes on with what is there, which may be nothing.
  case stored
  /// Takes the bundled snapshot.
  case bundled

  /// What is to be known of a bundle.
  package struct Offer: Hashable, Sendable {
    package let epoch: Epoch
    package let version: Version
    package let model: ModelVersion
    /// The schema hashes of the minors for which it opens.
    package let models: [ModelVersion: SHA256Digest]
    /// Whether its metadata is newer than what this device has trusted so far.
    package let isNewerThanTrusted: Bool
    /// Whether its snapshot failed on this device before.
    package let hasFailed: Bool

    package init(
      epoch: Epoch, version: Version, model: ModelVersion, models: [ModelVersion: SHA256Digest],
      isNewerThanTrusted: Bool, hasFailed: Bool = false
    ) {
      (self.epoch, self.version, self.model, self.models) = (epoch, version, model, models)
      (self.isNewerThanTrusted, self.hasFailed) = (isNewerThanTrusted, hasFailed)
    }

    func opens(for app: SeedModel) -> Bool {
      guard model.opens(for: app.model), let signed = models[app.model] else { return false }
      return app.pin.admits(signed)
    }
  }

  /// Decides by the rules above; `stored` is what the app's model can open of what is there.
  package static func make(_ offer: Offer, stored: (epoch: Epoch, version: Version)?, _ app: SeedModel)
    -> BundleChoice
  {
    guard offer.opens(for: app), !offer.hasFailed else { return .stored }
    guard let stored else { return .bundled }
    let isNewer =
      stored.epoch == offer.epoch ? offer.version > stored.version : offer.isNewerThanTrusted
    return isNewer ? .bundled : .stored
  }
}
