import Foundation

/// How a download goes on, in words. Pure: whoever owns it says what time it is.
struct ProgressMeter {
  let name: String
  private let total: Int
  /// What had arrived when, the oldest first.
  private var samples: [(time: Duration, bytes: Int)] = []
  private var lastLine = Duration.zero

  /// Characters of the bar.
  private static let width = 24
  /// Over how long the rate is taken: long enough to be calm, short enough to tell of a stall.
  private static let window = Duration.seconds(8)
  /// A rate over less than this is a guess.
  private static let shortest = Duration.seconds(1)
  /// Time between two lines where no terminal can rewrite one.
  private static let pause = Duration.seconds(10)

  init(_ name: String, total: Int, at time: Duration) {
    (self.name, self.total, lastLine) = (name, total, time)
  }

  /// Notes how far it is.
  mutating func note(_ bytes: Int, at time: Duration) {
    samples.append((time, bytes))
    while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// One line for a terminal: `downloading [=====>    ] 52 %, 9.9 MB of 19.0 MB, 3.1 MB/s, 0:03`.
  var bar: String {
    let share = total > 0 ? min(1, Double(arrived) / Double(total)) : 1
    let filled = Int(share * Double(Self.width))
    let tip = filled < Self.width ? ">" : ""
    let bar = String(repeating: "=", count: filled) + tip
    return "\(name) [\(bar.padding(toLength: Self.width, withPad: " ", startingAt: 0))] \(words(share))"
  }

  /// A line for a log, now and then.
  mutating func line(at time: Duration) -> String? {
    guard time - lastLine >= Self.pause else { return nil }
    lastLine = time
    return "\(name): \(words(total > 0 ? min(1, Double(arrived) / Double(total)) : 1))"
  }

  private var arrived: Int { samples.last?.bytes ?? 0 }

  private func words(_ share: Double) -> String {
    let size = "\(Int(share * 100)) %, \(ByteCount(bytes: arrived)) of \(ByteCount(bytes: total))"
    guard let rate else { return size }
    let pace = "\(size), \(ByteCount(bytes: Int(rate)))/s"
    return arrived < total && rate >= 1 ? "\(pace), \(Self.clock(Double(total - arrived) / rate))" : pace
  }

  /// Bytes in a second, where that can be said.
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
