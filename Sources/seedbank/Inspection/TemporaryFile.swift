import Foundation
import SeedDatabase

/// A file for a moment, removed with its owner.
final class TemporaryFile {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "seedbank-\(UUID().uuidString)").path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
