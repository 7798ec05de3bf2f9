import SeedClient
import Synchronization

/// Shows how downloads go on: a bar where someone watches, a line now and then where a log is written.
final class DownloadProgress: Sendable {
  private let console: Console
  private let start = ContinuousClock.now
  private let meter = Mutex<(file: String, meter: ProgressMeter)?>(nil)

  init(_ console: Console) { self.console = console }

  /// Takes what the library tells.
  func tell(_ progress: SeedProgress) {
    let time = ContinuousClock.now - start
    let line = meter.withLock { current in
      var meter =
        current?.file == progress.file
        ? current?.meter : ProgressMeter(progress.file, total: progress.totalBytes, at: time)
      meter?.note(progress.bytes, at: time)
      let line = console.showsProgress ? meter?.bar : meter?.line(at: time)
      current = meter.map { (progress.file, $0) }
      return line
    }
    guard let line else { return }
    if console.showsProgress { console.progress(line) } else { console.note(line) }
  }
}
