import Foundation
import SeedDatabase

/// A folder for files of the moment, removed with its owner. In `TMPDIR`, for the files can be large.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "seedbank-\(UUID().uuidString)").path
    try Folder.create(path, mode: 0o700)
  }

  deinit { try? Folder.removeAll(path) }

  /// A path in the folder.
  func file(_ name: String) -> String { "\(path)/\(name)" }
}
