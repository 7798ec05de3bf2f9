package import SeedFormat

/// Marks an origin's additions, all or named ones, as known without adding them to a model.
package struct ModelSkip {
  package let known: OriginOutline
  private let skipped: OriginGain
  private let rest: OriginGain
  private let file: String
  private let isDryRun: Bool

  /// `file` lists the known parts.
  package init(
    _ names: [String], of job: DatasetJob, in now: OriginOutline, listedIn file: String, isDryRun: Bool
  ) {
    let gain = job.gain(in: now)
    known =
      names.isEmpty
      ? now : names.reduce(job.knownOrigin ?? now) { $0.knowing(gain.parts(named: $1), of: now) }
    var job = job
    job.knownOrigin = known
    rest = job.gain(in: now)
    skipped = gain.without(rest)
    (self.file, self.isDryRun) = (file, isDryRun)
  }

  package var text: String {
    guard !skipped.isEmpty else {
      return "No new tables or columns in the origin. \(file.printable) lists its contents."
    }
    guard !isDryRun else { return "Would be left out: \(skipped.words.printable)." }
    let more = rest.isEmpty ? "" : " Still on offer: \(rest.words.printable)."
    return
      "Left out: \(skipped.words.printable). \(file.printable) lists it; it is no longer reported.\(more)"
  }

  package var json: JSONValue { ["skipped": .string(skipped.words), "remaining": .string(rest.words)] }
}
