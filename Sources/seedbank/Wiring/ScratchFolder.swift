import Foundation
import SeedDatabase

/// A folder for files of the moment, removed with its owner, or when a signal ends the process. In `TMPDIR`,
/// for the files can be large.
final class ScratchFolder: Sendable {
  let path: String
  private let watch: Task<Void, Never>

  /// How often it is tried to remove the folder while others fill it.
  private static let attempts = 1000

  init() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "seedbank-\(UUID().uuidString)").path
    let signals = Signals()
    try Folder.create(path, mode: 0o700)
    self.path = path
    watch = Task {
      guard let number = await signals.first() else { return }
      Interruption.begin(number)
      // Whoever is at work may still be making files in it.
      for _ in 0..<Self.attempts where Folder.exists(path) { try? Folder.removeAll(path) }
      Interruption.end()
    }
  }

  deinit {
    watch.cancel()
    try? Folder.removeAll(path)
  }

  /// A path in the folder.
  func file(_ name: String) -> String { "\(path)/\(name)" }
}
