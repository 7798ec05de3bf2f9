public import SeedClient
import SeedFormat
import SeedSystem
public import SeedTrust

public import struct Foundation.Date

extension SeedModel {
  /// Model 1.0 of a dataset `test`; its schema has a hash of zeros.
  public static let fixture = SeedModel(
    dataset: "test", model: "1.0", schema: SHA256Digest(words: (0, 0, 0, 0)))
}

extension Version {
  /// A version by its number; one below 1 stops the program.
  static func fixture(_ number: Int) -> Version {
    guard let version = try? Version(number) else {
      preconditionFailure("versions count from 1, so \(number) is none")
    }
    return version
  }
}

extension SeedState {
  /// A store's state as a settings screen may meet it; without arguments, that of a store with the newest data.
  ///
  /// - Parameters:
  ///   - model: What the app was built for.
  ///   - version: The version on the device; `nil` where there is no data.
  ///   - newestVersion: The newest that is published, where it is another one.
  ///   - origin: Where the file came from; `nil` where there is none.
  ///   - publishedAt: When the newest version was published.
  ///   - lastChecked: When the server was last asked successfully.
  ///   - lastUpdated: When the data last changed.
  ///   - lastError: Why the last update failed.
  ///   - bundleError: Why the bundle could not be used.
  ///   - lifecycle: How long the series goes on.
  ///   - license: The data's license.
  ///   - attribution: Whom to name.
  ///   - source: Where the data comes from.
  ///   - isStale: Whether the data may be older than what is published; where there is an error, it always may.
  public static func fixture(
    model: SeedModel = .fixture, version: Int? = 1, newestVersion: Int? = nil,
    origin: SeedOrigin? = .downloaded, publishedAt: Date? = nil, lastChecked: Date? = nil,
    lastUpdated: Date? = nil, lastError: SeedError? = nil, bundleError: SeedError? = nil,
    lifecycle: Lifecycle? = .active, license: String? = nil, attribution: String? = nil,
    source: String? = nil, isStale: Bool = false
  ) -> SeedState {
    var state = SeedState(model)
    state.version = version.map { .fixture($0) }
    state.origin = version == nil ? nil : origin
    (state.lastError, state.bundleError) = (lastError, bundleError)
    (state.license, state.attribution, state.source) = (license, attribution, source)
    state.hasLooked = !isStale
    state.record.newestVersion = newestVersion.map { .fixture($0) }
    state.record.publishedAt = publishedAt.map(UTCTime.init)
    state.record.lastChecked = lastChecked.map(UTCTime.init)
    state.record.lastUpdated = lastUpdated.map(UTCTime.init)
    state.record.lifecycle = lifecycle
    return state
  }
}

extension UTCTime {
  fileprivate init(_ date: Date) { self.init(secondsSinceEpoch: Int(date.timeIntervalSince1970)) }
}
