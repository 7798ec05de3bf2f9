package import SeedFormat
package import SeedSystem
package import SeedTrust

package struct LifecycleChange {
  private let dataset: DatasetName
  private let major: Int
  private let lifecycle: SeedLifecycle
  private let file: String
  private let isDryRun: Bool

  /// `file`: the dataset's configuration.
  package init(
    _ dataset: DatasetName, _ major: Int, _ lifecycle: SeedLifecycle, in file: String, isDryRun: Bool
  ) {
    (self.dataset, self.major, self.lifecycle, self.file) = (dataset, major, lifecycle, file)
    self.isDryRun = isDryRun
  }

  /// Accepts `1`, `1.x` or one of the major's models, because all minors end together.
  package static func major(_ text: String, among majors: [Int]) -> Int? {
    let number = text.hasSuffix(".x") ? String(text.dropLast(2)) : text
    return canonicalDecimal(number, in: 1...Limits.modelNumber).flatMap { majors.contains($0) ? $0 : nil }
  }

  package var text: String {
    let (verb, end) = (isDryRun ? "would be" : "is", lifecycle.sunset.map { " until \($0)" } ?? "")
    let change = "\(file.printable): lifecycle.\(major) \(verb) \(lifecycle.word)\(end)."
    let next =
      "Next: 'seedbank regenerate' publishes it, or a 'seedbank run' that is running does with its next step."
    return ([change, meaning("\(dataset)/\(major)")] + (isDryRun ? [] : [next])).joined(separator: "\n")
  }

  private func meaning(_ series: String) -> String {
    let (would, are) = isDryRun ? ("would ", "would be") : ("", "are")
    guard lifecycle.isRetired else {
      return "Clients of \(series) \(would)go on getting changes, and their apps \(are) asked to move on."
    }
    return
      "Clients of \(series) \(would)keep their data, get no more changes, and report that. Its models' folders may be"
      + " removed once that is published."
  }

  package var json: JSONValue {
    [
      "dryRun": .bool(isDryRun), "dataset": .string(dataset.text), "major": JSONValue(major),
      "lifecycle": lifecycle.json,
    ]
  }
}

extension SeedLifecycle {
  /// Reports, without a full stop, that a major continues after its sunset.
  package func overdue(_ major: Int, now: UTCTime) -> String? {
    guard let sunset, let day = UTCTime(day: sunset), day.adding(days: 1) <= now else { return nil }
    return
      "lifecycle.\(major): its sunset, \(sunset), has passed, and clients still get updates: 'seedbank model retire "
      + "\(major)' ends them, 'seedbank model deprecate \(major) --sunset DATE' sets a later day"
  }
}
