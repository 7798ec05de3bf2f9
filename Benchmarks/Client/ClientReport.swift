import Foundation

struct ClientReport {
  private let options: ClientOptions
  private let snapshotBytes: Int

  private enum Bars {
    static let start = 1.5
    static let imports = 15.0
    static let proof = 4.5
    static let peakBytes = 48 * 1024 * 1024
    static let idleRequests = 2
    static let idleBytes = 1024
  }

  init(_ options: ClientOptions, snapshotBytes: Int) {
    (self.options, self.snapshotBytes) = (options, snapshotBytes)
  }

  private struct Line: Encodable {
    let what: String
    let rows, snapshotBytes: Int
    let value, bar: Double
    var seconds, otherSeconds, processorSeconds, otherProcessorSeconds: Double?
    let holds: Bool
  }

  /// Adds a first start compared with the script, and its memory.
  func add(_ starts: Pairs) {
    add(starts, "first start : curl, gzip -d, sha256sum twice", Bars.start)
    let peak = starts.ours.map(\.peakBytes).max() ?? 0
    say(self.line("first start, peak bytes", Double(peak), Double(Bars.peakBytes), peak <= Bars.peakBytes))
  }

  /// Adds a first start that proves the rows, compared with one that does not.
  func add(proofs: Pairs) { add(proofs, "first start, proving rows : not proving", Bars.proof) }

  private func add(_ pairs: Pairs, _ what: String, _ bar: Double) {
    let ratio = pairs.ratio(\.seconds)
    var line = self.line(what, ratio, bar, ratio <= bar)
    line.seconds = median(pairs.ours.map(\.seconds))
    line.otherSeconds = median(pairs.baseline.map(\.seconds))
    line.processorSeconds = median(pairs.ours.map(\.processorSeconds))
    line.otherProcessorSeconds = median(pairs.baseline.map(\.processorSeconds))
    say(line)
  }

  /// Adds a first start compared with an import of the same rows.
  func add(_ starts: Pairs, imports: [ToolRun]) {
    let (own, other) = (median(starts.ours.map(\.seconds)), median(imports.map(\.seconds)))
    var line = self.line(
      "import of JSON : first start", other / own, Bars.imports, other / own >= Bars.imports)
    (line.seconds, line.otherSeconds) = (own, other)
    line.processorSeconds = median(starts.ours.map(\.processorSeconds))
    line.otherProcessorSeconds = median(imports.map(\.processorSeconds))
    say(line)
  }

  func add(_ idle: IdlePoll) {
    say(
      line(
        "idle look, requests", Double(idle.requests), Double(Bars.idleRequests),
        idle.requests <= Bars.idleRequests))
    say(
      line(
        "idle look, bytes of bodies", Double(idle.bytes), Double(Bars.idleBytes), idle.bytes <= Bars.idleBytes
      ))
  }

  private func line(_ what: String, _ value: Double, _ bar: Double, _ holds: Bool) -> Line {
    Line(
      what: what, rows: options.rows, snapshotBytes: snapshotBytes, value: value, bar: bar, holds: holds)
  }

  private func say(_ line: Line) {
    guard !options.isJSON else { return print(json(line)) }
    let title = "\(line.rows) rows, \(line.what):".padding(toLength: 64, withPad: " ", startingAt: 0)
    print(
      title, String(format: "%12.2f   bar %.1f", line.value, line.bar), times(line),
      line.holds ? "" : "  MISSED")
  }

  private func times(_ line: Line) -> String {
    guard let seconds = line.seconds, let other = line.otherSeconds, let own = line.processorSeconds,
      let others = line.otherProcessorSeconds
    else { return "" }
    return String(format: "  %.2f s : %.2f s, CPU %.2f s : %.2f s", seconds, other, own, others)
  }
}
