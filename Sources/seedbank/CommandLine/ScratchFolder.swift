import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

extension Paths {
  static var scratchPrefix: String { scratchFolder + "/seedbank-scratch-" }

  static var scratchFolder: String { FileManager.default.temporaryDirectory.path }

  static func requireNew(_ path: String) throws(Refusal) {
    guard Folder.exists(path) else { return }
    throw Refusal(.usage, "\(path.printable) already exists: remove it, or choose another file.")
  }
}

/// A temporary folder, in `TMPDIR` because its files can be large. The owner or a signal removes it, together
/// with an optional draft in another folder.
final class ScratchFolder: Sendable {
  let path: String
  private let draft: String?
  private let cleanup: SignalCleanup

  init(andDraft draft: String? = nil) throws {
    let path = Paths.scratchPrefix + UUID().uuidString
    cleanup = try SignalCleanup { Self.remove(path, draft) }
    try Folder.create(path, mode: 0o700)
    (self.path, self.draft) = (path, draft)
  }

  /// The owner must call it: `deinit` may be too late, because a queue may hold the last reference until the exit.
  func remove() {
    // Removes first, because a signal after `cancel` would end the process without cleanup.
    Self.remove(path, draft)
    cleanup.cancel()
  }

  /// After a signal, work may still be running, and two tasks may remove the folder at the same time.
  private static func remove(_ path: String, _ draft: String?) {
    Folder.removeAllInUse(path)
    if let draft { try? Folder.remove(draft) }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// Removes unfinished files after a signal, and ends the process.
final class SignalCleanup: Sendable {
  /// All cleanups of the process. The first task that gets a signal runs all of them, because it then ends the process.
  private static let removals = Mutex<[UUID: @Sendable () -> Void]>([:])

  private let id = UUID()
  private let watch: Task<Void, Never>

  init(_ remove: @escaping @Sendable () -> Void) throws {
    let signals = try StopSignals()
    Self.removals.withLock { [id] in $0[id] = remove }
    watch = Task {
      guard let number = await signals.first() else { return }
      StopSignals.beginCleanup(after: number)
      for remove in Self.removals.withLock({ Array($0.values) }) { remove() }
      StopSignals.endProcess()
    }
  }

  func cancel() {
    watch.cancel()
    Self.removals.withLock { [id] in $0[id] = nil }
  }

  /// Runs blocking work that fills a folder and then moves it into place. A signal removes the unfinished folder.
  static func staging(_ body: @escaping @Sendable () throws -> Void) async throws {
    let cleanup = try SignalCleanup { StagedFolders.removeAll() }
    defer { cleanup.cancel() }
    try await blocking(body)
  }
}
