import SeedFormat

/// The progress of a transfer or an import as lines of text.
package struct ProgressMeter {
  package let name: String
  private let total: Int?
  private var samples: [Sample] = []
  private var lastLine = Duration.zero

  private struct Sample {
    let time: Duration
    let bytes: Int
    let rows: Int?
  }

  /// The window of the rate: long enough to be steady, short enough to show a stall.
  private static let window = Duration.seconds(8)
  /// The least time for a meaningful rate.
  private static let shortest = Duration.seconds(1)
  private static let pause = Duration.seconds(10)

  package init(_ name: String, total: Int?, at time: Duration) {
    (self.name, self.total, lastLine) = (name, total, time)
  }

  package mutating func note(_ bytes: Int, rows: Int? = nil, at time: Duration) {
    samples.append(Sample(time: time, bytes: bytes, rows: rows))
    while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// A line for a terminal: `downloading: 52 %, 9.9 MB of 19.0 MB, 3.1 MB/s, 0:03`, in a narrow one without the last
  /// parts.
  package func line(in columns: Int) -> String {
    var parts = parts
    while parts.count > 1, Self.line(name, parts).count >= columns { parts.removeLast() }
    return Self.line(name, parts)
  }

  private static func line(_ name: String, _ parts: [String]) -> String {
    "\(name): \(parts.joined(separator: ", "))"
  }

  /// A line for a log, or nil until the next one is due.
  package mutating func line(at time: Duration) -> String? {
    guard time - lastLine >= Self.pause else { return nil }
    lastLine = time
    return Self.line(name, parts)
  }

  private var arrived: Int { samples.last?.bytes ?? 0 }

  private var share: Double? {
    total.map { $0 > 0 ? min(1, Double(arrived) / Double($0)) : 1 }
  }

  private var parts: [String] {
    [share.map { "\(Int($0 * 100)) %" }, amount, pace, timeLeft].compactMap(\.self)
  }

  private var amount: String? {
    if let rows = samples.last?.rows { return "\(rows.grouped) rows" }
    return total.map { "\(ByteCount(bytes: arrived)) of \(ByteCount(bytes: $0))" }
  }

  private var pace: String? {
    if samples.last?.rows != nil { return rate { $0.rows ?? 0 }.map { "\(Int($0).grouped) rows/s" } }
    return rate(\.bytes).map { "\(ByteCount(bytes: Int($0)))/s" }
  }

  private var timeLeft: String? {
    guard let total, let rate = rate(\.bytes), arrived < total, rate >= 1 else { return nil }
    return Self.clock(Double(total - arrived) / rate)
  }

  private func rate(_ amount: (Sample) -> Int) -> Double? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.shortest else {
      return nil
    }
    return Double(amount(last) - amount(first)) / ((last.time - first.time) / .seconds(1))
  }

  private static func clock(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 359_999))
    let parts = seconds < 3600 ? [seconds / 60] : [seconds / 3600, seconds / 60 % 60]
    return (parts + [seconds % 60]).enumerated().map { $0 > 0 && $1 < 10 ? "0\($1)" : "\($1)" }
      .joined(separator: ":")
  }
}
