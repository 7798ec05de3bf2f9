import Foundation

/// Ours and the baseline, run by run.
struct Pairs {
  private(set) var ours: [ToolRun] = []
  private(set) var baseline: [ToolRun] = []

  mutating func add(ours own: ToolRun, _ other: ToolRun) {
    ours.append(own)
    baseline.append(other)
  }

  /// The median of the pairs' ratios.
  func ratio(_ value: KeyPath<ToolRun, Double>) -> Double {
    median(zip(ours, baseline).map { $0[keyPath: value] / $1[keyPath: value] })
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
}

/// Prints one line for each number, as a table or as JSON.
struct PublishReport {
  let isJSON: Bool
  let rows: Int
  let layout: String

  private struct Line: Encodable {
    let rows: Int
    let layout, what: String
    let seconds, baselineSeconds, ratio, processorSeconds, baselineProcessorSeconds, processorRatio: Double
    let bar: Double
    let holds: Bool
  }

  /// A ratio to a baseline.
  func add(_ what: String, _ pairs: Pairs, bar: Double) {
    let line = Line(
      rows: rows, layout: layout, what: what, seconds: median(pairs.ours.map(\.seconds)),
      baselineSeconds: median(pairs.baseline.map(\.seconds)), ratio: pairs.ratio(\.seconds),
      processorSeconds: median(pairs.ours.map(\.processorSeconds)),
      baselineProcessorSeconds: median(pairs.baseline.map(\.processorSeconds)),
      processorRatio: pairs.ratio(\.processorSeconds), bar: bar, holds: pairs.ratio(\.seconds) <= bar)
    say(line) {
      let wall = format("%7.2f s : %7.2f s = %.2f", line.seconds, line.baselineSeconds, line.ratio)
      let processor = format(
        "CPU %7.2f s : %7.2f s = %.2f", line.processorSeconds, line.baselineProcessorSeconds,
        line.processorRatio)
      return "\(wall)   \(processor)   bar \(bar)"
    }
  }

  /// What a step costs that finds the origin as it was, beyond the process's start.
  func addRest(_ what: String, _ rests: [ToolRun], start: [ToolRun], bar: Double) {
    let seconds = median(rests.map(\.seconds)) - median(start.map(\.seconds))
    let processor = median(rests.map(\.processorSeconds)) - median(start.map(\.processorSeconds))
    let line = Line(
      rows: rows, layout: layout, what: "\(what), beyond the start", seconds: seconds,
      baselineSeconds: median(start.map(\.seconds)), ratio: 0, processorSeconds: processor,
      baselineProcessorSeconds: median(start.map(\.processorSeconds)), processorRatio: 0, bar: bar,
      holds: seconds <= bar)
    say(line) { format("%7.3f s   CPU %7.3f s   bar %.3f s", seconds, processor, bar) }
  }

  /// The highest resident size.
  func addPeak(_ runs: [ToolRun], bar: Int) {
    let peak = runs.map(\.peakBytes).max() ?? 0
    let line = Line(
      rows: rows, layout: layout, what: "first build, peak bytes", seconds: 0, baselineSeconds: 0,
      ratio: Double(peak), processorSeconds: 0, baselineProcessorSeconds: 0, processorRatio: 0,
      bar: Double(bar), holds: peak <= bar)
    say(line) { format("%7.1f MiB   bar %.0f MiB", Double(peak) / 1_048_576, Double(bar) / 1_048_576) }
  }

  private func say(_ line: Line, _ numbers: () -> String) {
    guard isJSON else {
      let title = "\(line.rows) rows, \(line.layout), \(line.what):"
      return print(
        title.padding(toLength: 72, withPad: " ", startingAt: 0), numbers(), line.holds ? "" : "  OVER")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    print((try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? "")
  }

  private func format(_ format: String, _ values: any CVarArg...) -> String {
    String(format: format, arguments: values)
  }
}
