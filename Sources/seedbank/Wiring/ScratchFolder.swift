import Foundation
import SeedDatabase
import SeedSystem

/// A folder in `TMPDIR`, for its files can be large; removed by its owner or when a signal ends the process. So is a draft of
/// the owner's that must lie elsewhere.
final class ScratchFolder: Sendable {
  let path: String
  private let draft: String?
  private let watch: Task<Void, Never>

  private static let attempts = 1000

  init(andDraft draft: String? = nil) throws {
    let path = Paths.scratchPrefix + UUID().uuidString
    let signals = StopSignals()
    try Folder.create(path, mode: 0o700)
    (self.path, self.draft) = (path, draft)
    watch = Task {
      guard let number = await signals.first() else { return }
      StopSignals.beginCleanup(after: number)
      Self.remove(path, draft)
      StopSignals.endProcess()
    }
  }

  /// Its owner says so, for the last reference may be a queue's, which keeps it until the process has ended.
  func remove() {
    // In this order: a signal between the two would end the process by the system's way.
    Self.remove(path, draft)
    watch.cancel()
  }

  /// Tries again: work in progress may still make files in it, and after a signal two tasks remove it at once.
  private static func remove(_ path: String, _ draft: String?) {
    for _ in 0..<attempts where Folder.exists(path) { try? Folder.removeAll(path) }
    if let draft { try? Folder.remove(draft) }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
