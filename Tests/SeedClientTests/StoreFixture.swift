import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@testable import SeedClient

final class StoreFixture {
  let publisher: ClientPublisherSimulator
  let folder: TemporaryFolder

  init(inMemory: Bool = false) throws {
    publisher = try ClientPublisherSimulator()
    folder = try TemporaryFolder(inMemory: inMemory)
  }

  var directory: String { folder("store") }

  func store(
    schema: SHA256Digest? = nil, model: ModelVersion? = nil, options: SeedOptions = SeedOptions(),
    _ change: (inout Environment) -> Void = { _ in }
  ) throws -> SeedStore {
    let model = SeedModel(
      dataset: "transit", version: model ?? ClientPublisherSimulator.model,
      schema: schema ?? publisher.schema.hash)
    var environment = Environment(
      transport: publisher, now: { [publisher] in publisher.now }, sleep: { _ in await Task.yield() })
    change(&environment)
    return try SeedStore(
      model, server: try #require(URL(string: "http://seeds.example")), root: publisher.root,
      directory: directory, options: options, environment: environment)
  }

  func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)").sorted()
  }

  /// Publishes a version that needs a snapshot.
  func publishGeneration(_ stops: [String: String]) throws {
    try publisher.publish(stops)
    try publisher.publishSnapshot()
    try publisher.withdraw { $0.fileName.hasPrefix("delta") || $0.version.number < publisher.head }
  }

  func damage(_ change: (inout Data) -> Void) throws {
    let name = try String(contentsOfFile: "\(directory)/CURRENT", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let file = URL(fileURLWithPath: "\(directory)/generations/\(name)/seed.sqlite")
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    try bytes.write(to: file)
  }

  var lastSnapshot: PublishedObject {
    get throws { try #require(object { $0.fileName.hasPrefix("snapshot") }) }
  }
  var lastDelta: PublishedObject { get throws { try #require(object { $0.fileName.hasPrefix("delta") }) } }

  private func object(where matches: (PublishedObject) -> Bool) -> PublishedObject? {
    publisher.objects.last(where: matches)
  }
}

extension SeedStore {
  /// The stops' names in order of their ids.
  func stops() async throws -> [String] {
    try await rows("SELECT name FROM stop ORDER BY id")
  }
}

/// The stops' names, read by a connection of the app.
func stops(inFile url: URL) throws -> [String] {
  try Connection(url.path, .reader).rows("SELECT name FROM stop ORDER BY id").map { $0[0].description }
}
