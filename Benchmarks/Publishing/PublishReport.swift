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

  /// Adds the remainder after subtracting another cost, for example a process's start.
  func addRest(
    _ what: String, _ rests: [ToolRun], beyond: String = "the start", start: [ToolRun], bar: Double
  ) {
    let seconds = median(rests.map(\.seconds)) - median(start.map(\.seconds))
    let processor = median(rests.map(\.processorSeconds)) - median(start.map(\.processorSeconds))
    let line = Line(
      rows: rows, layout: layout, what: "\(what), beyond \(beyond)", seconds: seconds,
      baselineSeconds: median(start.map(\.seconds)), ratio: 0, processorSeconds: processor,
      baselineProcessorSeconds: median(start.map(\.processorSeconds)), processorRatio: 0, bar: bar,
      holds: seconds <= bar)
    say(line) { format("%9.6f s   CPU %9.6f s   bar %.4f s", seconds, processor, bar) }
  }

  func addPeak(_ what: String, _ runs: [ToolRun], bar: Int) {
    let peak = runs.map(\.peakBytes).max() ?? 0
    let line = Line(
      rows: rows, layout: layout, what: "\(what), peak bytes", seconds: 0, baselineSeconds: 0,
      ratio: Double(peak), processorSeconds: 0, baselineProcessorSeconds: 0, processorRatio: 0,
      bar: Double(bar), holds: peak <= bar)
    say(line) { format("%7.1f MiB   bar %.0f MiB", Double(peak) / 1_048_576, Double(bar) / 1_048_576) }
  }

  func addBytes(_ what: String, _ pairs: [(ours: Int, baseline: Int)], bar: Double) {
    let (ours, baseline) = (median(pairs.map { Double($0.ours) }), median(pairs.map { Double($0.baseline) }))
    let ratio = median(pairs.map { Double($0.ours) / Double($0.baseline) })
    let line = Line(
      rows: rows, layout: layout, what: "\(what), bytes", seconds: 0, baselineSeconds: 0, ratio: ratio,
      processorSeconds: 0, baselineProcessorSeconds: 0, processorRatio: 0, bar: bar, holds: ratio <= bar)
    say(line) { format("%.0f : %.0f bytes = %.2f   bar %.1f", ours, baseline, ratio, bar) }
  }

  /// Adds the share of one core that a process uses.
  func addShare(_ what: String, processorSeconds: Double, of seconds: Double, bar: Double) {
    let share = processorSeconds / seconds
    let line = Line(
      rows: rows, layout: layout, what: what, seconds: seconds, baselineSeconds: 0, ratio: share,
      processorSeconds: processorSeconds, baselineProcessorSeconds: 0, processorRatio: 0, bar: bar,
      holds: share <= bar)
    say(line) {
      format(
        "CPU %.2f s in %.0f s = %.2f %%   bar %.2f %%", processorSeconds, seconds, 100 * share, 100 * bar)
    }
  }

  private func say(_ line: Line, _ numbers: () -> String) {
    guard isJSON else {
      let title = "\(line.rows) rows, \(line.layout), \(line.what):"
      return print(
        title.padding(toLength: 96, withPad: " ", startingAt: 0), numbers(), line.holds ? "" : "  OVER")
    }
    print(json(line))
  }

  private func format(_ format: String, _ values: any CVarArg...) -> String {
    String(format: format, arguments: values)
  }
}

extension PublishReport {
  /// One run of a writer, on an origin with a log and without.
  typealias WriterPair = (logged: () throws -> ToolRun, plain: () throws -> ToolRun)

  /// Seconds that a log may add to a single-row statement.
  private static let mostStatementSeconds = 0.000_1

  /// Adds the cost of a log for writers; `bar` applies to statements of many rows.
  func addWriters(runs: Int, one: WriterPair, many: WriterPair, bar: Double) throws {
    var (singles, baselines, updates) = ([ToolRun](), [ToolRun](), Pairs())
    for _ in 1...runs {
      singles.append(try one.logged())
      baselines.append(try one.plain())
      updates.add(ours: try many.logged(), try many.plain())
    }
    addRest(
      "a one-row UPDATE with a log", singles, beyond: "one without", start: baselines,
      bar: Self.mostStatementSeconds)
    add("UPDATE of 100,000 rows with a log, beside one without", updates, bar: bar)
  }
}
