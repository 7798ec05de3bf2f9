import Foundation
import SeedClient
import SeedFormat

/// Reads a store repeatedly until its input ends; prints the numbers of reads and versions and the longest
/// duration. Exits with status 1 at the first read that mixes versions. With `follow`, it prints the results of a
/// live query until it is terminated.
///
/// Arguments: the store's directory, dataset, model, schema hash, and optionally `follow`.
@main enum StoreReader {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let model = SeedModel(
      dataset: try DatasetName(arguments[2]), version: try ModelVersion(arguments[3]),
      schema: try SHA256Digest(hex: arguments[4]))
    let store = try SeedStore(model, reading: URL(fileURLWithPath: arguments[1]))
    if arguments.last == "follow" { return try await follow(store) }
    let end = InputEnd()
    var report = ReadingReport()
    repeat {
      try await report.read(store)
      try await Task.sleep(for: .milliseconds(1))
    } while !end.isReached
    print(report.line)
  }
}

/// Prints the names of all stops at each change.
private func follow(_ store: SeedStore) async throws {
  for try await names in store.observe("SELECT DISTINCT name FROM stop", as: String.self) {
    FileHandle.standardOutput.write(Data("\(names.joined(separator: " "))\n".utf8))
  }
}

/// Waits for the end of standard input on another thread.
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
