import SeedServer
import SeedSystem

/// Wakes a dataset's loop when its origin is written to. Where the system cannot tell (a network's file system, no
/// inotify instance left), the loop looks at the origin when its rest is over, as it does anyway.
final class OriginAlarm: Sendable {
  private struct State {
    var watch: FolderWatch?
    var isRung = false
    var rest: Task<Void, Never>?
  }

  /// `nil` where no file tells.
  private let path: String?
  private let state = Mutex(State())

  /// After the first sign of writing, so that what belongs together is read together.
  private static let gathering = Duration.milliseconds(50)
  /// Between two steps at least: a writer that commits a thousand times in a second makes one.
  private static let leastRest = Duration.seconds(1)

  init(_ path: String?) { self.path = path }

  /// How long a loop rests though its origin is written to all the time: as long as its step took, so that steps take half
  /// of the time at most, and no longer than it does where nobody wakes it.
  static func leastRest(after step: Duration, every check: Duration) -> Duration {
    min(check, max(leastRest, step))
  }

  /// Watches where the origin is now; it may have been away, or its folder may have been replaced. Blocks on the disk.
  func watch() {
    guard let path else { return }
    let real = SQLitePlace.resolved(path)
    let folder = Folder.parent(of: real)
    let isUpToDate = state.withLock { $0.watch.map { !$0.hasEnded && $0.folder == folder } ?? false }
    if isUpToDate { return }
    let name = String(real.split(separator: "/").last ?? "")
    // A commit is written to the database's file or to its log.
    let watch = FolderWatch(folder, writtenFiles: [name, "\(name)-wal"]) { [weak self] in self?.ring() }
    state.withLock { $0.watch = watch }
  }

  private func ring() {
    state.withLock { state in
      state.isRung = true
      state.rest?.cancel()
    }
  }

  /// Rests until the origin is written to, `least` at least and `most` at most, or until it is cancelled.
  func rest(atLeast least: Duration, atMost most: Duration) async {
    try? await Task.sleep(for: least)
    await restUntilRung(most - least)
    // Signs that come from here on are of writing that the next step may not see.
    let isRung = state.withLock { $0.isRung }
    if isRung, least < most { try? await Task.sleep(for: Self.gathering) }
    state.withLock { $0.isRung = false }
  }

  private func restUntilRung(_ time: Duration) async {
    let rest = state.withLock { state -> Task<Void, Never>? in
      guard !state.isRung, time > .zero, !Task.isCancelled else { return nil }
      let rest = Task<Void, Never> { try? await Task.sleep(for: time) }
      state.rest = rest
      return rest
    }
    guard let rest else { return }
    await withTaskCancellationHandler {
      await rest.value
    } onCancel: {
      rest.cancel()
    }
    state.withLock { $0.rest = nil }
  }
}
