/// The publisher's memory in the step that merges the deltas of sixteen versions, and in the steps before it.
struct MergeRun {
  let origin: TransitOrigin
  let folder: String
  let report: PublishReport

  private static let versions = 16
  private static let mostBytes = 160 * 1024 * 1024

  func run() throws {
    let scene = PublishScene(folder: "\(folder)/merging", origin: origin)
    _ = try scene.build()
    let steps = try (2...Self.versions).map { _ in
      _ = try origin.updateMany()
      return try scene.step()
    }
    // Throws if the last step has merged nothing.
    _ = try scene.deltaBytes(from: 1, to: Self.versions)
    report.addPeak("step that merges 15 deltas of 100,000 rows", steps.suffix(1), bar: Self.mostBytes)
    report.addPeak("the steps before it", steps.dropLast(), bar: Self.mostBytes)
  }
}
