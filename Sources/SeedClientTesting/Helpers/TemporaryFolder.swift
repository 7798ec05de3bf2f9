import Foundation

/// A test's own folder, removed with this object.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// Use `inMemory` for tests that do not depend on the disk: thousands of syncs would be slow.
  package init(inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = "\(parent)/seedbank-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
