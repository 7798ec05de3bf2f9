import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust
import Support

@testable import SeedClient

/// A publication with its past, and devices at some of its versions.
struct MutatedWorld {
  let publisher: ClientPublisherSimulator
  let model: SeedModel
  /// The files after each publication; the last are current.
  let states: [[String: [UInt8]]]
  /// Stored bytes of every object by their hash.
  let contents: [SHA256Digest: [UInt8]]
  /// The stops' names by version.
  let rows: [Int: [String]]
  private let templates: TemporaryFolder

  /// Versions with a device; 0 has no data.
  static let devices = [0, 2, 4]
  private static let versions = 5
  /// The version with a second snapshot.
  private static let middle = 3

  init() async throws {
    publisher = try ClientPublisherSimulator()
    templates = try TemporaryFolder(inMemory: true)
    model = SeedModel(
      dataset: "transit", version: ClientPublisherSimulator.model, schema: publisher.schema.hash)
    var (states, rows): ([[String: [UInt8]]], [Int: [String]]) = ([], [:])
    for version in 1...Self.versions {
      try publisher.publish(["a": "A \(version)", "b\(version)": "B \(version)"])
      if version == Self.middle { try publisher.publishSnapshot() }
      states.append(publisher.withServed { $0.files })
      rows[version] = publisher.stops.sorted { $0.key < $1.key }.map(\.value)
      guard Self.devices.contains(version) else { continue }
      let device = try Self.store(model, publisher, publisher, templates("\(version)"))
      try await device.update()
      await device.suspend()
    }
    (self.states, self.rows) = (states, rows)
    let stored = publisher.withServed { $0.files }.filter { $0.key.hasPrefix("targets/") }.values
    contents = Dictionary(stored.map { (.of($0), $0) }) { $1 }
  }

  var served: [String: [UInt8]] { states[states.count - 1] }

  /// Whether the newest metadata references the file.
  func isCurrent(_ name: String) -> Bool {
    let replaced = states[states.count - 2].keys.contains(name)
    return name.hasPrefix("targets/") || name.hasSuffix("targets.json") || name.hasSuffix("timestamp.json")
      || !replaced
  }

  /// Copies the folder of a device at this version to `directory`.
  func device(at version: Int, in directory: String) throws {
    guard version > 0 else { return }
    try FileManager.default.copyItem(atPath: templates("\(version)"), toPath: directory)
  }

  func store(serving files: [String: [UInt8]], in directory: String) throws -> SeedStore {
    try Self.store(model, publisher, StaticHost(files: files), directory)
  }

  private static func store(
    _ model: SeedModel, _ publisher: ClientPublisherSimulator, _ host: any Transport, _ directory: String
  ) throws -> SeedStore {
    let (url, now) = (URL(string: "http://seeds.example")!, publisher.now)
    var options = SeedOptions()
    options.provesRows = true
    return try SeedStore(
      model, server: url, root: publisher.root, directory: directory, options: options,
      environment: Environment(transport: host, now: { now }, sleep: { _ in await Task.yield() }))
  }
}

struct StaticHost: Transport {
  /// Nil if there is no connection.
  let files: [String: [UInt8]]?

  func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    guard let files else {
      throw TransportError.unreachable(url: request.url.absoluteString, reason: "offline")
    }
    let name = request.url.path.split(separator: "/").joined(separator: "/")
    try FileAnswer(request, files[name]).send(to: receiver)
  }
}
