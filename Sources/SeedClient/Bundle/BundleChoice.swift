/// Chooses the data that a store starts with: its own, or the bundle that the app brought along. Pure.
///
///  1. A bundle that the app's model cannot open is not taken.
///  2. Without data that the app's model can open, the bundle is taken, however old it is: the next update replaces
///     it.
///  3. In one epoch the higher version wins, and of two equal ones the store's own.
///  4. Versions of two epochs cannot be compared. The bundle's epoch is the newer one if its metadata is newer than
///     the newest that this device has trusted.
///  5. A snapshot that failed here before is not tried again.
struct BundleChoice: Hashable, Sendable {
  let epoch: Epoch
  let version: Version
  let model: ModelVersion
  /// The schema hashes of the minors for which it opens.
  let models: [ModelVersion: SHA256Digest]
  let isNewerThanTrusted: Bool
  var hasFailed = false

  func takesBundle(over stored: (epoch: Epoch, version: Version)?, for app: SeedModel) -> Bool {
    guard model.opens(for: app.model), let signed = models[app.model], app.pin.admits(signed), !hasFailed
    else { return false }
    guard let stored else { return true }
    return stored.epoch == epoch ? version > stored.version : isNewerThanTrusted
  }
}
