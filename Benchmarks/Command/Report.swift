import Foundation

/// Prints results as a table, or as one JSON object per line.
struct Report {
  let isJSON: Bool

  private struct Line: Encodable {
    let workload, contender, phase: String
    let seconds, ratio, processorSeconds, processorRatio: Double
    let statements, lookups, peakBytes: Int
    /// Look-ups per hundred objects of the document.
    let lookupPercent: Double
    let rows: [Int]
    let correct, refused: Bool
  }

  func say(_ text: String) { if !isJSON { print(text) } }

  func add(_ workload: any Workload, _ results: [Result]) {
    let objects = workload.rowCount
    say("\n\(workload.title)")
    say(
      "  \(pad("contender", 27)) phase  seconds   × floor  CPU secs   × floor  statements  look-ups  of objects  peak MiB  result"
    )
    for phase in Phase.allCases { add(results.filter { $0.phase == phase }, objects) }
  }

  private func add(_ results: [Result], _ objects: Int) {
    guard let floor = results.first(where: { $0.contender == Contender.floor.name }) else { return }
    for result in results {
      print(isJSON ? json(line(result, floor, objects)) : text(line(result, floor, objects)))
    }
  }

  private func line(_ result: Result, _ floor: Result, _ objects: Int) -> Line {
    Line(
      workload: result.workload, contender: result.contender, phase: result.phase.rawValue,
      seconds: result.seconds, ratio: result.seconds / floor.seconds,
      processorSeconds: result.processorSeconds,
      processorRatio: result.processorSeconds / floor.processorSeconds, statements: result.check.statements,
      lookups: result.check.lookups, peakBytes: result.peakBytes,
      lookupPercent: 100 * Double(result.check.lookups) / Double(objects), rows: result.check.rows,
      correct: result.check.checksum == floor.check.checksum, refused: result.check.refused)
  }

  private func text(_ line: Line) -> String {
    let verdict = line.correct ? (line.refused ? "refused, as it must" : "same rows") : "WRONG ROWS"
    let numbers = [
      String(format: "%9.3f", line.seconds), String(format: "%9.2f", line.ratio),
      String(format: "%9.3f", line.processorSeconds), String(format: "%9.2f", line.processorRatio),
      String(format: "%11d", line.statements), String(format: "%9d", line.lookups),
      String(format: "%9.2f %%", line.lookupPercent), String(format: "%9.1f", mebibytes(line.peakBytes)),
    ]
    return "  \(pad(line.contender, 27)) \(pad(line.phase, 4))\(numbers.joined(separator: " "))  \(verdict)"
  }

  func memory(_ results: [MemoryResult]) {
    say("\nPeak memory above the start, at most \(MemoryResult.barMebibytes) MiB; documents come in chunks")
    for result in results {
      let size = "\(result.size) \(result.document == "rows" ? "bytes of rows" : result.document): "
      let numbers = String(format: "%.1f MiB, %.1f s, ", mebibytes(result.peakBytes), result.seconds)
      print(isJSON ? json(result) : "  \(size)\(numbers)\(result.rows[0]) rows, \(result.rows[1]) rejected")
    }
  }

  func pair(_ pair: PairWorkload, _ results: [PairResult]) {
    say("\n\(pair.title): at most \(PairWorkload.bar) times as long")
    for result in results {
      let numbers = String(
        format: "CPU %.3f s, %.3f s, × %.2f", result.baselineSeconds, result.seconds, result.ratio)
      let names = "\(result.baseline), \(result.contender): "
      let verdict = result.correct ? "same rows" : "WRONG ROWS"
      print(isJSON ? json(result) : "  \(pad(result.phase, 5)) \(names)\(numbers)  \(verdict)")
    }
  }

  private func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }

  private func pad(_ text: String, _ width: Int) -> String {
    text.padding(toLength: width, withPad: " ", startingAt: 0)
  }
}
