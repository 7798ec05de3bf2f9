import Foundation
import SeedClient

/// Reads a store over and over, until its input ends; prints how many reads there were, how many versions, and how
/// long the longest took. The first read that is not of one version ends it with status 1.
///
/// Arguments: the store's directory, the publication's root.json, dataset, model, schema hash.
@main enum StoreReader {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let model = SeedModel(
      dataset: try DatasetName(arguments[3]), model: try ModelVersion(arguments[4]),
      schema: try SHA256Digest(hex: arguments[5]))
    guard let nowhere = URL(string: "http://127.0.0.1:9") else { return }
    let store = try SeedStore(
      model, server: nowhere, root: try Data(contentsOf: URL(fileURLWithPath: arguments[2])),
      directory: URL(fileURLWithPath: arguments[1]))
    let end = InputEnd()
    var report = ReadingReport()
    repeat { try await report.read(store) } while !end.isReached
    print(report.line)
  }
}

/// Whether standard input has ended, watched on a thread of its own.
private final class InputEnd: @unchecked Sendable {
  private let lock = NSLock()
  private var isEnded = false

  var isReached: Bool { lock.withLock { isEnded } }

  init() {
    Thread.detachNewThread { [self] in
      while !FileHandle.standardInput.availableData.isEmpty {}
      lock.withLock { isEnded = true }
    }
  }
}

/// What a reader saw.
private struct ReadingReport {
  private var reads = 0
  private var versions: Set<String> = []
  private var longest = Duration.zero

  struct Torn: Error {
    let version: String
    let names: [String]
  }

  var line: String { "\(reads) \(versions.count) \(longest)" }

  /// All stops of a version have its number as their name.
  mutating func read(_ store: SeedStore) async throws {
    let start = ContinuousClock.now
    let (version, names) = try await store.read { reader in
      (
        try reader.rows("SELECT value FROM seedbank_meta WHERE key = 'version'")[0].description,
        try reader.rows("SELECT DISTINCT name FROM stop").map(\.description)
      )
    }
    longest = max(longest, .now - start)
    guard names.count == 1, names[0].dropFirst("name: ".count) == version.dropFirst("value: ".count) else {
      throw Torn(version: version, names: names)
    }
    reads += 1
    versions.insert(version)
  }
}
