import Foundation
import SeedClient

/// Reads a store over and over, until its input ends; prints how many reads there were, how many versions, and how
/// long the longest took. The first read that is not of one version ends it with status 1. With `follow` it prints what a
/// live query yields instead, until it is ended.
///
/// Arguments: the store's directory, dataset, model, schema hash, perhaps `follow`.
@main enum StoreReader {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let model = SeedModel(
      dataset: try DatasetName(arguments[2]), model: try ModelVersion(arguments[3]),
      schema: try SHA256Digest(hex: arguments[4]))
    let store = try SeedStore(model, reading: URL(fileURLWithPath: arguments[1]))
    if arguments.last == "follow" { return try await follow(store) }
    let end = InputEnd()
    var report = ReadingReport()
    repeat { try await report.read(store) } while !end.isReached
    print(report.line)
  }
}

/// The names of all stops, at each change.
private func follow(_ store: SeedStore) async throws {
  for try await names in store.rows("SELECT DISTINCT name FROM stop", as: String.self) {
    FileHandle.standardOutput.write(Data("\(names.joined(separator: " "))\n".utf8))
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
