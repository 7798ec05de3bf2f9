import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// A publisher, a bundle folder of an app, and a device.
final class BundleFixture {
  let device: StoreFixture
  let bundle: String

  var publisher: ClientPublisherSimulator { device.publisher }

  init() throws {
    device = try StoreFixture()
    bundle = device.folder("bundle")
    try publisher.publish(["a": "Alexanderplatz"])
  }

  /// Bundles the current publication.
  @discardableResult
  func ship(into directory: String? = nil) async throws -> BundleReport {
    try await maker(directory ?? bundle).make()
  }

  func maker(_ directory: String, model: ModelVersion? = nil) throws -> BundleMaker {
    let model = SeedModel(
      dataset: "transit", version: model ?? ClientPublisherSimulator.model, schema: publisher.schema.hash)
    return try BundleMaker(
      model, server: #require(URL(string: StoreFixture.server)), root: publisher.root, directory: directory,
      environment: device.environment)
  }

  /// The store of an app that ships the bundle.
  func store(root: [UInt8]? = nil, model: ModelVersion? = nil) throws -> SeedStore {
    try device.store(model: model, root: root, bundle: bundle)
  }

  /// Runs `body` with a store that is released afterwards, as at the end of a process.
  func launch<Result>(_ body: (SeedStore) async throws -> Result) async throws -> Result {
    try await body(store())
  }

  var isOffline: Bool {
    get { publisher.withServed { $0.failure == .offline } }
    set { publisher.withServed { $0.failure = newValue ? .offline : nil } }
  }

  func shipped() throws -> [String: Data] {
    let files = FileManager.default.subpaths(atPath: bundle) ?? []
    return Dictionary(
      uniqueKeysWithValues: files.compactMap { name in
        FileManager.default.contents(atPath: "\(bundle)/\(name)").map { (name, $0) }
      })
  }

  /// Changes one byte of the file whose name contains `part`.
  func damage(_ part: String, at offset: Int = 40) throws {
    let name = try #require(try shipped().keys.sorted().first { $0.contains(part) })
    let url = URL(fileURLWithPath: "\(bundle)/\(name)")
    var bytes = try Data(contentsOf: url)
    bytes[offset] ^= 1
    try bytes.write(to: url)
  }
}
