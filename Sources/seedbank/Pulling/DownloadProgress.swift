import Foundation
import SeedClient
import SeedSystem

final class DownloadProgress: Sendable {
  private let console: Console
  private let start = ContinuousClock.now
  private let meter = Mutex<ProgressMeter?>(nil)

  init(_ console: Console) { self.console = console }

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
      if current?.name != what { current = ProgressMeter(what, total: total, at: time) }
      current?.note(bytes, at: time)
      return console.showsProgress ? current?.bar : current?.line(at: time)
    }
    guard let line else { return }
    if console.showsProgress { console.progress(line) } else { console.note(line) }
  }
}

/// A download's progress in words. It has no clock: its owner gives the time.
struct ProgressMeter {
  let name: String
  private let total: Int
  private var samples: [(time: Duration, bytes: Int)] = []
  private var lastLine = Duration.zero

  private static let width = 24
  /// The time over which the rate is measured: long enough to be steady, short enough to show a stall.
  private static let window = Duration.seconds(8)
  /// A rate over less time than this would be a guess.
  private static let shortest = Duration.seconds(1)
  private static let pause = Duration.seconds(10)

  init(_ name: String, total: Int, at time: Duration) {
    (self.name, self.total, lastLine) = (name, total, time)
  }

  mutating func note(_ bytes: Int, at time: Duration) {
    samples.append((time, bytes))
    while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// One line for a terminal: `downloading [=====>    ] 52 %, 9.9 MB of 19.0 MB, 3.1 MB/s, 0:03`.
  var bar: String {
    let filled = Int(share * Double(Self.width))
    let tip = filled < Self.width ? ">" : ""
    let bar = String(repeating: "=", count: filled) + tip
    return "\(name) [\(bar.padding(toLength: Self.width, withPad: " ", startingAt: 0))] \(words)"
  }

  /// A line for a log, or nil until the next one is due.
  mutating func line(at time: Duration) -> String? {
    guard time - lastLine >= Self.pause else { return nil }
    lastLine = time
    return "\(name): \(words)"
  }

  private var arrived: Int { samples.last?.bytes ?? 0 }
  private var share: Double { total > 0 ? min(1, Double(arrived) / Double(total)) : 1 }

  private var words: String {
    let size = "\(Int(share * 100)) %, \(ByteCount(bytes: arrived)) of \(ByteCount(bytes: total))"
    guard let rate else { return size }
    let pace = "\(size), \(ByteCount(bytes: Int(rate)))/s"
    return arrived < total && rate >= 1 ? "\(pace), \(Self.clock(Double(total - arrived) / rate))" : pace
  }

  private var rate: Double? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.shortest else {
      return nil
    }
    return Double(last.bytes - first.bytes) / ((last.time - first.time) / .seconds(1))
  }

  private static func clock(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 359_999))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return hours > 0
      ? String(format: "%d:%02d:%02d", hours, minutes, seconds % 60)
      : String(format: "%d:%02d", minutes, seconds % 60)
  }
}

struct ByteCount: CustomStringConvertible {
  let bytes: Int

  private static let units = ["kB", "MB", "GB", "TB"]

  /// `512 bytes`, `19.0 MB`: decimal units, as disks and networks are sold.
  var description: String {
    guard bytes >= 1000 else { return "\(bytes) bytes" }
    var (value, unit) = (Double(bytes) / 1000, 0)
    while value >= 999.95, unit < Self.units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    return String(format: "%.1f %@", value, Self.units[unit])
  }
}
