import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem

extension Paths {
  static var scratchPrefix: String { scratchFolder + "/seedbank-scratch-" }

  static var scratchFolder: String { FileManager.default.temporaryDirectory.path }

  static func requireNew(_ path: String) throws(Refusal) {
    guard Folder.exists(path) else { return }
    throw Refusal(.usage, "\(path.printable) already exists: remove it, or name another file.")
  }
}

/// A folder in `TMPDIR`, because its files can be large. Removed by its owner or after a signal, together with an
/// optional draft in another folder.
final class ScratchFolder: Sendable {
  let path: String
  private let draft: String?
  private let watch: Task<Void, Never>

  private static let attempts = 1000

  init(andDraft draft: String? = nil) throws {
    let path = Paths.scratchPrefix + UUID().uuidString
    let signals = try StopSignals()
    try Folder.create(path, mode: 0o700)
    (self.path, self.draft) = (path, draft)
    watch = Task {
      guard let number = await signals.first() else { return }
      StopSignals.beginCleanup(after: number)
      Self.remove(path, draft)
      StopSignals.endProcess()
    }
  }

  /// Called by the owner, because a queue may hold the last reference until the process ends.
  func remove() {
    // In this order, because a signal between the two would end the process without cleanup.
    Self.remove(path, draft)
    watch.cancel()
  }

  /// Retries, because running work may still create files, and after a signal two tasks remove the folder.
  private static func remove(_ path: String, _ draft: String?) {
    for _ in 0..<attempts where Folder.exists(path) { try? Folder.removeAll(path) }
    if let draft { try? Folder.remove(draft) }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
