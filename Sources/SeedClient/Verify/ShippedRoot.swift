import SeedFormat
import SeedSystem
import SeedTrust

/// The root.json that an app ships or an operator names: all trust begins there.
package enum ShippedRoot {
  /// Throws unless it is a root; `name` is what it is called in the message.
  package static func check(_ root: [UInt8], name: String = "the app's root.json") throws(SeedError) {
    do throws(TrustError) {
      _ = try TrustedMetadataSet(root: root, now: .distantPast)
    } catch {
      throw SeedError(
        .configuration, "\(name) is not a publication's root (\(error)): take root.json from the publisher")
    }
  }
}
