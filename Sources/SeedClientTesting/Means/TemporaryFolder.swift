import Foundation

/// A folder of a test's own, removed with its owner.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String

  /// `inMemory` for tests whose point is not the disk: thousands of syncs would only cost time.
  package init(inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = "\(parent)/seedbank-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A path inside the folder.
  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
