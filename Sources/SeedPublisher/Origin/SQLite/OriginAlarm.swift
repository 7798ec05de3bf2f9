import SeedSystem

/// Wakes a dataset's loop after a write to its origin. The loop polls as usual if the system cannot report writes, as
/// on a network file system or if inotify instances run out.
package final class OriginAlarm: Sendable {
  private struct State {
    var watch: FolderWatch?
    /// The watched file, with links resolved.
    var file = ""
    var isSignalled = false
    var rest: Task<Void, Never>?
  }

  /// Nil if the origin is not a file.
  private let path: String?
  private let state = Mutex(State())

  /// Delay after the first write, so that related writes are read together.
  private static let gathering = Duration.milliseconds(50)
  /// Minimum interval between steps, so that a thousand commits in a second cause one step.
  private static let leastRest = Duration.seconds(1)

  package init(_ path: String?) { self.path = path }

  /// Returns the minimum rest under constant writes: as long as the last step took, so that steps take at most half
  /// of the time. It is at least a second, but never longer than the polling interval.
  package static func leastRest(after step: Duration, every check: Duration) -> Duration {
    min(check, max(leastRest, step))
  }

  /// Watches the origin's file. Call it again after a folder was replaced or a link redirected.
  package func watch() {
    guard let path else { return }
    let real = PhysicalPath.existing(path) ?? path
    let isUpToDate = state.withLock { $0.watch.map { !$0.hasEnded } ?? false && $0.file == real }
    if isUpToDate { return }
    let name = String(real.split(separator: "/").last ?? "")
    // A commit writes to the database file or to its log.
    let watch = FolderWatch(Folder.parent(of: real), writtenFiles: [name, "\(name)-wal"]) { [weak self] in
      self?.signal()
    }
    state.withLock { ($0.watch, $0.file) = (watch, real) }
  }

  private func signal() {
    state.withLock { state in
      state.isSignalled = true
      state.rest?.cancel()
    }
  }

  /// Rests until the origin is written to, within these limits, or until the task is cancelled.
  package func rest(atLeast least: Duration, atMost most: Duration) async {
    try? await Task.sleep(for: least)
    await sleepUntilSignalled(most - least)
    let isSignalled = state.withLock { $0.isSignalled }
    if isSignalled, least < most { try? await Task.sleep(for: Self.gathering) }
    // Reset before the next step begins, because that step may miss a later write, which must signal again.
    state.withLock { $0.isSignalled = false }
  }

  private func sleepUntilSignalled(_ time: Duration) async {
    let rest = state.withLock { state -> Task<Void, Never>? in
      guard !state.isSignalled, time > .zero, !Task.isCancelled else { return nil }
      let rest = Task<Void, Never> { try? await Task.sleep(for: time) }
      state.rest = rest
      return rest
    }
    guard let rest else { return }
    await withTaskCancellationHandler(operation: { await rest.value }, onCancel: { rest.cancel() })
    state.withLock { $0.rest = nil }
  }
}
