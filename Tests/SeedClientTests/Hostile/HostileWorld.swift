import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// A device with version 1 and publications for it: a delta to version 2, or a new epoch.
final class HostileWorld: Sendable {
  let root: [UInt8]
  let model: SeedModel
  let now: UTCTime
  /// A delta from version 1 to 2 without a snapshot of version 2.
  let withDelta: [String: [UInt8]]
  /// The same with a snapshot of version 2.
  let withBoth: [String: [UInt8]]
  /// A new epoch, which requires a snapshot.
  let withSnapshot: [String: [UInt8]]
  /// The same with a snapshot that expands far beyond its signed length.
  let withBomb: [String: [UInt8]]
  /// Files of another publisher with other keys.
  let foreign: [String: [UInt8]]
  /// Bytes of the largest file.
  let largest: Int
  private let template: TemporaryFolder

  static let shared = Task { try await HostileWorld() }

  /// Few rows with long names: a device hashes each row, and downloads break in the middle of tens of thousands of bytes.
  private static let stops = 400
  private static let numbersPerName = 16

  private init() async throws {
    let publisher = try ClientPublisherSimulator()
    (root, now) = (publisher.root, publisher.now)
    model = SeedModel(
      dataset: "transit", version: ClientPublisherSimulator.model, schema: publisher.schema.hash)
    var stops = ["a": "Old"]
    var random = SplitMix(seed: 1)
    for number in 0..<Self.stops {
      stops["s\(number)"] = (0..<Self.numbersPerName).map { _ in "\(random.next())" }.joined(separator: " ")
    }
    try publisher.publish(stops)
    template = try TemporaryFolder()
    try await Self.prepare(publisher, model, in: template("store"))
    try publisher.publish(["a": "New"])
    withDelta = publisher.withServed { $0.files }
    try publisher.publishSnapshot()
    withBoth = publisher.withServed { $0.files }
    try publisher.startEpoch()
    withSnapshot = publisher.withServed { $0.files }
    withBomb = try Self.bomb(publisher)
    foreign = try Self.foreign()
    largest = withSnapshot.values.map(\.count).max() ?? 0
  }

  private static func prepare(
    _ publisher: ClientPublisherSimulator, _ model: SeedModel, in directory: String
  ) async throws {
    let store = try SeedStore(
      model, server: #require(URL(string: "http://seeds.example")), root: publisher.root,
      directory: directory,
      environment: Environment(transport: publisher, now: { [now = publisher.now] in now }))
    try await store.prepare()
  }

  /// Replaces the last snapshot by endless zeros, signed with a small length.
  private static func bomb(_ publisher: ClientPublisherSimulator) throws -> [String: [UInt8]] {
    let stored = try Compression.gzip([UInt8](repeating: 0, count: 4 * 1024 * 1024))
    try publisher.resign { object in
      guard object.fileName.hasPrefix("snapshot") else { return object }
      return object.with(length: stored.count, sha256: .of(stored), rawLength: 100_000)
    }
    var files = publisher.withServed { $0.files }
    for object in publisher.objects where object.fileName.hasPrefix("snapshot") {
      files[object.filePath] = stored
    }
    return files
  }

  private static func foreign() throws -> [String: [UInt8]] {
    let publisher = try ClientPublisherSimulator()
    try publisher.publish(["a": "Foreign"])
    return publisher.withServed { $0.files }
  }

  func copyDevice(to path: String) throws {
    try FileManager.default.copyItem(atPath: template("store"), toPath: path)
  }
}
