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
    try BundleMaker(
      self.model(model), server: server, root: publisher.root, directory: directory, environment: environment)
  }

  /// The store of an app that ships the bundle.
  func store(root: [UInt8]? = nil, model: ModelVersion? = nil) throws -> SeedStore {
    try SeedStore(
      self.model(model), server: server, root: root ?? publisher.root, bundle: bundle,
      directory: device.directory, environment: environment)
  }

  /// Runs `body` with a store that is released afterwards, as at the end of a process.
  func launch<Result>(_ body: (SeedStore) async throws -> Result) async throws -> Result {
    try await body(store())
  }

  var isOffline: Bool {
    get { publisher.withServed { $0.isOffline } }
    set { publisher.withServed { $0.isOffline = newValue } }
  }

  func shipped() throws -> [String: Data] {
    let files = FileManager.default.enumerator(atPath: bundle)?.compactMap { $0 as? String } ?? []
    return Dictionary(
      uniqueKeysWithValues: try files.map { ($0, URL(fileURLWithPath: "\(bundle)/\($0)")) }
        .filter { !$0.1.hasDirectoryPath && !isFolder($0.1) }.map { ($0.0, try Data(contentsOf: $0.1)) })
  }

  /// Changes one byte of the file whose name contains `part`.
  func damage(_ part: String, at offset: Int = 40) throws {
    let name = try #require(try shipped().keys.sorted().first { $0.contains(part) })
    let url = URL(fileURLWithPath: "\(bundle)/\(name)")
    var bytes = try Data(contentsOf: url)
    bytes[offset] ^= 1
    try bytes.write(to: url)
  }

  private func isFolder(_ url: URL) -> Bool {
    (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
  }

  private func model(_ version: ModelVersion? = nil) -> SeedModel {
    SeedModel(
      dataset: "transit", version: version ?? ClientPublisherSimulator.model, schema: publisher.schema.hash)
  }

  private var server: URL {
    get throws { try #require(URL(string: "http://seeds.example")) }
  }

  private var environment: Environment {
    Environment(
      transport: publisher, now: { [publisher] in publisher.now }, sleep: { _ in await Task.yield() })
  }
}
