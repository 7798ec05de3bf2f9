import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust

struct LifecycleChange {
  let dataset: DatasetConfiguration
  let major: Int
  let lifecycle: Lifecycle

  /// Accepts `1`, `1.x` or one of the major's models, because all minors end together.
  static func major(_ text: String, in dataset: DatasetConfiguration) -> Int? {
    let majors = Set(dataset.models.map(\.version.major))
    let number = text.hasSuffix(".x") ? String(text.dropLast(2)) : text
    return canonicalDecimal(number, in: 1...Limits.modelNumber).flatMap { majors.contains($0) ? $0 : nil }
  }

  func save() throws {
    var edit = try ConfigurationEdit(dataset.file)
    edit["lifecycle", String(major)] = lifecycle.json
    try edit.save()
  }

  func warning(now: UTCTime) -> String? { lifecycle.overdue(major, now: now) }

  private var active: [Int] {
    Set(dataset.models.map(\.version.major)).sorted().filter {
      $0 != major && dataset.policy.lifecycles[$0]?.isRetired != true
    }
  }

  var text: String {
    let series = "\(dataset.name)/\(major)"
    let said = [
      "\(dataset.file.printable): lifecycle.\(major) is \(lifecycle.word)\(lifecycle.sunset.map { " until \($0)" } ?? "").",
      meaning(series),
      "Next: 'seedbank regenerate' publishes it, or a 'seedbank run' that is running does with its next step.",
    ]
    return said.joined(separator: "\n")
  }

  private func meaning(_ series: String) -> String {
    guard lifecycle.isRetired else {
      return "Clients of \(series) go on getting changes, and their apps are asked to move on."
    }
    let others = active.isEmpty ? " No other major of \(dataset.name) is left." : ""
    return
      "Clients of \(series) keep their data, get no more changes, and report that. Its models' folders may be"
      + " removed once that is published.\(others)"
  }

  var json: JSONValue {
    ["dataset": .string(dataset.name.text), "major": JSONValue(major), "lifecycle": lifecycle.json]
  }
}

extension Lifecycle {
  /// Reports, without a full stop, that a major continues after its sunset.
  func overdue(_ major: Int, now: UTCTime) -> String? {
    guard let sunset, let day = UTCTime(day: sunset), day.adding(days: 1) <= now else { return nil }
    return
      "lifecycle.\(major): its sunset, \(sunset), has passed, and clients still get updates: 'seedbank model retire "
      + "\(major)' ends them, 'seedbank model deprecate \(major) --sunset DATE' sets a later day"
  }
}
