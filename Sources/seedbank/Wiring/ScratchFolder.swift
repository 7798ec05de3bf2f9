import Foundation
import SeedDatabase
import SeedSystem

/// A folder for temporary files, removed by its owner or when a signal ends the process. It lies in `TMPDIR`, for the
/// files can be large.
final class ScratchFolder: Sendable {
  let path: String
  private let watch: Task<Void, Never>

  /// How often it is tried to remove the folder while others fill it.
  private static let attempts = 1000

  init() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "seedbank-\(UUID().uuidString)").path
    let signals = StopSignals()
    try Folder.create(path, mode: 0o700)
    self.path = path
    watch = Task {
      guard let number = await signals.first() else { return }
      StopSignals.beginCleanup(after: number)
      Self.remove(path)
      StopSignals.endProcess()
    }
  }

  /// Removes the folder. Its owner says so, for the last reference may be a queue's, which lets go of it after the
  /// process has ended.
  func remove() {
    // In this order: a signal between the two would end the process by the system's way.
    Self.remove(path)
    watch.cancel()
  }

  /// Tries again: work in progress may still make files in it, and after a signal two tasks remove it at once.
  private static func remove(_ path: String) {
    for _ in 0..<attempts where Folder.exists(path) { try? Folder.removeAll(path) }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
