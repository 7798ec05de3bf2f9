import SeedClient
import SeedSystem

/// Shows how updates go on: a bar where someone watches, a line now and then where a log is written.
final class DownloadProgress: Sendable {
  private let console: Console
  private let start = ContinuousClock.now
  private let meter = Mutex<ProgressMeter?>(nil)

  init(_ console: Console) { self.console = console }

  /// Takes what the library tells.
  func tell(_ phase: UpdatePhase) {
    switch phase {
    case .downloading(let bytes, let total): tell("downloading", bytes, total)
    case .expanding(let bytes, let total): tell("expanding", bytes, total)
    case .applying(_, let bytes, let total): tell("applying", bytes, total)
    case .buildingIndexes: console.progress("building indexes")
    case .checking, .swapping, .finished: break
    }
  }

  private func tell(_ what: String, _ bytes: Int, _ total: Int) {
    let time = ContinuousClock.now - start
    let line = meter.withLock { current in
      var meter = current?.name == what ? current : nil
      meter = meter ?? ProgressMeter(what, total: total, at: time)
      meter?.note(bytes, at: time)
      let line = console.showsProgress ? meter?.bar : meter?.line(at: time)
      current = meter
      return line
    }
    guard let line else { return }
    if console.showsProgress { console.progress(line) } else { console.note(line) }
  }
}
