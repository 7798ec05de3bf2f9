import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// A new model, and its consequences for clients of older ones.
package struct ModelReport {
  private let draft: ModelDraft
  private let base: ModelVersion
  private let plan: SeriesPlan
  private let files: [String]
  private let mending: [String]
  private let isNewSeries: Bool
  private let canDelegate: Bool
  private let isDryRun: Bool

  /// `mending` gives the reasons why the origin cannot fill the model yet. `canDelegate`: the targets key is available.
  package init(
    _ draft: ModelDraft, after base: ModelVersion, _ plan: SeriesPlan, mending: [String], isNewSeries: Bool,
    canDelegate: Bool, isDryRun: Bool
  ) {
    (self.draft, self.base, self.plan, self.mending) = (draft, base, plan, mending)
    (self.isNewSeries, self.canDelegate, self.isDryRun) = (isNewSeries, canDelegate, isDryRun)
    files = draft.definition.files.map { "\(draft.path)/\($0.path)" }
  }

  package var text: String {
    let verb = isDryRun ? "Would write" : "Wrote"
    let snippet = SwiftSnippet(dataset: plan.series.dataset, model: draft.version, schema: plan.schema.hash)
    let parts: [[String]] = [
      files.map { "\(verb) \($0.printable)" },
      draft.added.map { "Added \($0)".printable } + (draft.remarks + plan.remarks).map(\.printable)
        + SetupNote.lines(draft.notes).map(\.printable),
      draft.added.isEmpty ? ["The model is a copy of \(base): edit its files now."] : [],
      mending.map { "To fix before it is published: \($0.printable)" },
      [isNewSeries ? newSeries : newMinor],
      ["", Self.pin, "", snippet.declaration, ""],
      ["Next: \(next)"],
    ]
    return parts.joined().joined(separator: "\n")
  }

  private var newMinor: String {
    let way = obstacle.map { "as a snapshot, because \($0)" } ?? "as changes"
    return
      "Once it is published, each client of \(plan.series) receives it \(way). Apps built for older minors"
      + " keep working."
  }

  private var newSeries: String {
    let key =
      canDelegate
      ? ""
      : " The targets key must sign the new series, and is not here: run 'seedbank keys renew targets --with FOLDER'."
    return
      "Clients of older majors are not affected: each step publishes their series and the new one. Apps built for"
      + " the new major begin with a snapshot.\(key)"
  }

  /// Why a delta cannot carry the model's additions.
  private var obstacle: String? {
    do {
      _ = try plan.additions(from: base)
      return nil
    } catch { return error.cause }
  }

  private static let pin =
    "Apps need this declaration of the model. It changes with the schema; 'seedbank config swift' prints it again:"

  private var next: String {
    "'seedbank config check', then 'seedbank regenerate'; 'seedbank run' reads models only when it starts."
      + " Once \(draft.version) is published, its schema cannot change."
  }

  package var json: JSONValue {
    [
      "dryRun": .bool(isDryRun), "dataset": .string(plan.series.dataset.text),
      "model": .string("\(draft.version)"),
      "from": .string("\(base)"), "schema": .string(plan.schema.hash.hex),
      "written": JSONValue(strings: files), "added": JSONValue(strings: draft.added),
      "remarks": JSONValue(strings: draft.remarks + plan.remarks), "skipped": .array(draft.notes.map(\.json)),
      "toDo": JSONValue(strings: mending),
    ]
  }
}

/// Marks all or some of an origin's additions as known, without adding them to a model.
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
    let (gain, before) = (job.gain(in: now), job.knownOrigin ?? now)
    known =
      names.isEmpty
      ? before.merging(now) : names.reduce(before) { $0.knowing(gain.parts(named: $1), of: now) }
    var job = job
    job.knownOrigin = known
    rest = job.gain(in: now)
    skipped = gain.without(rest)
    (self.file, self.isDryRun) = (file, isDryRun)
  }

  package var text: String {
    guard !skipped.isEmpty else {
      return "The origin has no new tables or columns; all are listed in \(file.printable)."
    }
    guard !isDryRun else { return "Would be skipped: \(skipped.words.printable)." }
    let more = rest.isEmpty ? "" : " Still reported: \(rest.words.printable)."
    return
      "Skipped: \(skipped.words.printable). \(file.printable) now lists this, so it is no longer reported.\(more)"
  }

  package var json: JSONValue { ["skipped": .string(skipped.words), "remaining": .string(rest.words)] }
}

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

  /// Accepts a major as `1` or `1.x`, because all its minors end together.
  package static func major(_ text: String, among majors: [Int]) -> Int? {
    let number = text.hasSuffix(".x") ? String(text.dropLast(2)) : text
    return canonicalDecimal(number, in: 1...Limits.modelNumber).flatMap { majors.contains($0) ? $0 : nil }
  }

  package var text: String {
    let (verb, end) = (isDryRun ? "would be" : "is", lifecycle.sunset.map { ", with the sunset \($0)" } ?? "")
    let change = "\(file.printable): lifecycle.\(major) \(verb) \(lifecycle.word)\(end)."
    let next =
      "Next: 'seedbank regenerate' publishes this change, or a running 'seedbank run' does in its next step."
    return ([change, meaning("\(dataset)/\(major)")] + (isDryRun ? [] : [next])).joined(separator: "\n")
  }

  private func meaning(_ series: String) -> String {
    let (would, are) = isDryRun ? ("would ", "would be") : ("", "are")
    guard lifecycle.isRetired else {
      return "Clients of \(series) \(would)keep getting changes, and their apps \(are) asked to move on."
    }
    return
      "Clients of \(series) \(would)keep their data, get no more changes, and report this. You can remove its models'"
      + " folders once this change is published."
  }

  package func json(_ warnings: [String]) -> JSONValue {
    [
      "dryRun": .bool(isDryRun), "dataset": .string(dataset.text), "major": JSONValue(major),
      "lifecycle": lifecycle.json, "warnings": JSONValue(strings: warnings),
    ]
  }
}

extension SeedLifecycle {
  /// Returns a warning, without a full stop, if the major continues after its sunset.
  package func overdue(_ major: Int, now: UTCTime) -> String? {
    guard let sunset, let day = UTCTime(day: sunset), day.adding(days: 1) <= now else { return nil }
    return
      "lifecycle.\(major): its sunset, \(sunset), has passed, but clients still get updates: stop them with 'seedbank "
      + "model retire \(major)', or set a later date with 'seedbank model deprecate \(major) --sunset DATE'"
  }
}
