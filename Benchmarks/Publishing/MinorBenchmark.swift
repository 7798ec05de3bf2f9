import Foundation

/// The step that begins a minor with a filled column, with its snapshot. The baseline is the same work with `sqlite3`,
/// `pigz` and `sha256sum`: the new column, a comparison of all rows, the column's values as gzip, and a snapshot.
struct MinorBenchmark {
  let origin: TransitOrigin
  let folder: String
  let runs: Int
  let report: PublishReport

  func run() throws {
    let growing = try origin.copy("\(folder)/growing.sqlite")
    defer { try? FileManager.default.removeItem(atPath: growing.path) }
    let scene = PublishScene(folder: "\(folder)/minors", origin: growing)
    _ = try scene.build()
    var (steps, sizes) = (Pairs(), [(ours: Int, baseline: Int)]())
    for version in 1...runs {
      let change = try scene.beginMinor(adding: "platform\(version)")
      let step = try scene.step()
      // Compares after the step, because both sides need the new column.
      let (comparison, snapshot) = (try scene.compareBaseline(), try scene.snapshotBaseline())
      let column = try scene.columnBaseline("platform\(version)")
      steps.add(ours: step, change.plus(comparison).plus(column.cost).plus(snapshot))
      sizes.append((try scene.deltaBytes(from: version, to: version + 1), column.number))
    }
    report.add("step that begins a minor, with its snapshot", steps, bar: Bars.step)
    report.addPeak("step that begins a minor", steps.ours, bar: Bars.peakBytes)
    report.addBytes("its delta, beside the column as gzip", sizes, bar: Bars.delta)
  }
}

private enum Bars {
  static let step = 1.8
  static let delta = 1.2
  static let peakBytes = 160 * 1024 * 1024
}
