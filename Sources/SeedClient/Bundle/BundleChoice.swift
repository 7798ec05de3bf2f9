import SeedFormat

/// Chooses the data that a store starts with: its own, or the bundle that the app brought along. Pure.
///
///  1. A bundle that the app's model cannot open is not taken.
///  2. Without data that the app's model can open, the bundle is taken, however old it is: the next update replaces
///     it.
///  3. In one epoch the higher version wins, and of two equal ones the store's own.
///  4. Versions of two epochs cannot be compared. The bundle's epoch is the newer one if its metadata is newer than
///     the newest that this device has trusted.
///  5. A snapshot that failed here before is not tried again.
package enum BundleChoice: Hashable, Sendable {
  /// Goes on with the store's own data, if there is any.
  case stored
  /// Takes the bundled snapshot.
  case bundled

  /// The facts about a bundle that decide.
  package struct Offer: Hashable, Sendable {
    package let epoch: Epoch
    package let version: Version
    package let model: ModelVersion
    /// The schema hashes of the minors for which it opens.
    package let models: [ModelVersion: SHA256Digest]
    /// Whether its metadata is newer than the newest that this device has trusted.
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

  /// Decides by the rules above; `stored` is the store's own data, where the app's model can open it.
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
