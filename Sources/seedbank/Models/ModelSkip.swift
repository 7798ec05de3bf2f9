import SeedFormat
import SeedPublisher

/// Marks an origin's additions, all or named ones, as known without adding them to a model.
struct ModelSkip {
  let known: OriginOutline
  private let skipped: OriginGain
  private let rest: OriginGain
  private let file: String
  private let isDryRun: Bool

  init(
    _ dataset: DatasetConfiguration, _ now: OriginOutline, _ arguments: ParsedArguments
  ) throws {
    let names = arguments.strings("name")
    var job = try DatasetJob(dataset)
    let gain = job.gain(in: now)
    file = KnownOrigin.path(inDataset: dataset.folder)
    isDryRun = arguments.flag("dry-run")
    if let unknown = names.first(where: { gain.parts(named: $0).isEmpty }) {
      throw arguments.unsuitable("name", unknown, Self.choices(gain))
    }
    let outline = names.reduce(dataset.knownOrigin ?? now) {
      $0.knowing(gain.parts(named: $1), of: now)
    }
    known = names.isEmpty ? now : outline
    job.knownOrigin = known
    rest = job.gain(in: now)
    skipped = gain.without(rest)
  }

  private static func choices(_ gain: OriginGain) -> String {
    gain.isEmpty ? "no name, because the origin has no new tables or columns" : alternatives(gain.names)
  }

  var text: String {
    guard !skipped.isEmpty else {
      return "No new tables or columns in the origin. \(file.printable) lists its contents."
    }
    guard !isDryRun else { return "Would be left out: \(skipped.words.printable)." }
    let more = rest.isEmpty ? "" : " Still on offer: \(rest.words.printable)."
    return
      "Left out: \(skipped.words.printable). \(file.printable) lists it; it is no longer reported.\(more)"
  }

  var json: JSONValue { ["skipped": .string(skipped.words), "remaining": .string(rest.words)] }
}
