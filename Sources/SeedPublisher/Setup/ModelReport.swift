import SeedDatabase
package import SeedFormat
import SeedTrust

/// A new model, and its consequences for clients of older ones.
package struct ModelReport {
  private let draft: ModelDraft
  private let base: ModelVersion
  private let dataset: DatasetName
  private let plan: SeriesPlan
  private let files: [String]
  private let mending: [String]
  private let isNewSeries: Bool
  private let canDelegate: Bool
  private let isDryRun: Bool

  /// `mending`: why the origin cannot fill it yet; `canDelegate`: the targets key is here.
  package init(
    _ draft: ModelDraft, after base: ModelVersion, _ plan: SeriesPlan, mending: [String], isNewSeries: Bool,
    canDelegate: Bool, isDryRun: Bool
  ) {
    (self.draft, self.base, self.plan, self.mending) = (draft, base, plan, mending)
    (self.isNewSeries, self.canDelegate, self.isDryRun) = (isNewSeries, canDelegate, isDryRun)
    dataset = plan.series.dataset
    files = draft.definition.files.map { "\(draft.path)/\($0.path)" }
  }

  package var text: String {
    let verb = isDryRun ? "Would write" : "Wrote"
    let parts: [[String]] = [
      files.map { "\(verb) \($0.printable)" },
      draft.added.map { "Added \($0)".printable } + (draft.remarks + plan.remarks).map(\.printable)
        + SetupNote.lines(draft.notes).map(\.printable),
      draft.added.isEmpty
        ? ["The model is a copy of \(base): edit its files now."] : [],
      mending.map { "To fix before it is published: \($0.printable)" },
      [isNewSeries ? newSeries : newMinor],
      ["", Self.pin, "", snippet.declaration, ""],
      ["Next: \(next)"],
    ]
    return parts.joined().joined(separator: "\n")
  }

  private var newMinor: String {
    let way = obstacle.map { "by a snapshot, because \($0)" } ?? "as changes"
    return
      "The step that publishes it brings it to each client of \(plan.series) \(way). Apps that were built for older minors"
      + " go on."
  }

  private var newSeries: String {
    let key =
      canDelegate
      ? ""
      : " The targets key must sign the new series, and is not here: 'seedbank keys renew targets --with FOLDER'."
    return
      "Clients of older majors are not affected: each step fills their series and the new one. Apps that are built for"
      + " it begin with a snapshot.\(key)"
  }

  /// Why a delta cannot carry the model's additions.
  private var obstacle: String? {
    do {
      _ = try plan.additions(from: base)
      return nil
    } catch { return error.cause }
  }

  private static let pin =
    "Apps that are built for it have this declaration, which changes with its schema; 'seedbank config swift' prints it again:"

  private var next: String {
    "'seedbank config check', then 'seedbank regenerate'; a 'seedbank run' that is running reads models when it starts."
      + " Once \(draft.version) is published, its schema stays as it is."
  }

  private var snippet: SwiftSnippet {
    SwiftSnippet(dataset: dataset, model: draft.version, schema: plan.schema.hash)
  }

  package var json: JSONValue {
    [
      "dryRun": .bool(isDryRun), "dataset": .string(dataset.text), "model": .string("\(draft.version)"),
      "from": .string("\(base)"), "schema": .string(plan.schema.hash.hex),
      "written": JSONValue(strings: files), "added": JSONValue(strings: draft.added),
      "remarks": JSONValue(strings: draft.remarks + plan.remarks), "skipped": .array(draft.notes.map(\.json)),
      "toMend": JSONValue(strings: mending),
    ]
  }
}

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
