import Foundation

struct MemorySample {
  let residentBytes: Int
  /// Memory that is not backed by files.
  let anonymousBytes: Int
}

/// The memory of a process, minute by minute.
struct MemoryCurve {
  private var samples: [MemorySample] = []

  /// The last quarter relative to the second, after one-time allocations.
  private static let mostGrowth = 1.05
  private static let minutesPerHour = 60.0
  private static let bytesPerMiB = 1_048_576.0

  private struct Minute: Encodable {
    let minute, residentBytes, anonymousBytes: Int
  }

  private struct Summary: Encodable {
    let minutes: Int
    let residentBytesPerHour, anonymousBytesPerHour, ratio, bar: Double
    let holds: Bool
  }

  mutating func add(_ sample: MemorySample) { samples.append(sample) }

  func line(isJSON: Bool) -> String {
    guard let sample = samples.last else { return "" }
    let minute = Minute(
      minute: samples.count, residentBytes: sample.residentBytes, anonymousBytes: sample.anonymousBytes)
    guard !isJSON else { return json(minute) }
    return String(
      format: "minute %4d: %7.1f MiB resident, %7.1f MiB of them no file's", minute.minute,
      Double(minute.residentBytes) / Self.bytesPerMiB, Double(minute.anonymousBytes) / Self.bytesPerMiB)
  }

  func summary(isJSON: Bool) -> String {
    let ratio = growth
    let summary = Summary(
      minutes: samples.count, residentBytesPerHour: slope(\.residentBytes),
      anonymousBytesPerHour: slope(\.anonymousBytes), ratio: ratio, bar: Self.mostGrowth,
      holds: ratio <= Self.mostGrowth)
    guard !isJSON else { return json(summary) }
    return String(
      format:
        "the later half: %+.2f MiB an hour resident, %+.2f MiB no file's; last quarter : second = %.3f   bar %.2f%@",
      summary.residentBytesPerHour / Self.bytesPerMiB, summary.anonymousBytesPerHour / Self.bytesPerMiB,
      ratio,
      Self.mostGrowth, summary.holds ? "" : "   OVER")
  }

  /// Growth per hour in the later half, by linear regression.
  private func slope(_ value: KeyPath<MemorySample, Int>) -> Double {
    let values = samples.suffix(samples.count / 2).map { Double($0[keyPath: value]) }
    let (middle, mean) = (Double(values.count - 1) / 2, values.reduce(0, +) / Double(values.count))
    let (products, squares) = values.enumerated().reduce((0.0, 0.0)) { sums, item in
      let distance = Double(item.offset) - middle
      return (sums.0 + distance * (item.element - mean), sums.1 + distance * distance)
    }
    return squares > 0 ? products / squares * Self.minutesPerHour : 0
  }

  private var growth: Double {
    let quarter = samples.count / 4
    let second = samples[quarter..<2 * quarter].map { Double($0.residentBytes) }
    return median(samples.suffix(quarter).map { Double($0.residentBytes) }) / median(second)
  }
}
