import SeedFormat
import SeedServer
import SeedTrust

/// What `keys` tells of a change.
struct KeyChangeReport {
  private let outcome: KeyChangeOutcome
  /// Whether it is another change than the one that was asked for.
  private let isAnother: Bool

  init(_ outcome: KeyChangeOutcome) { (self.outcome, isAnother) = (outcome, false) }

  /// A change that was under way is finished, and nothing else was begun.
  init(finishedAnother published: PublishedMetadata) { (outcome, isAnother) = (.published(published), true) }

  var text: String {
    switch outcome {
    case .published(let published):
      """
      published: root \(published.root.version) until \(published.root.expires), targets \(published.targets.version) \
      until \(published.targets.expires)\(isAnother ? Self.unfinished : "")
      """
    case .waits(let needs):
      (["not published yet: it waits for signatures"] + needs.map { "  " + $0.line }
        + ["'seedbank keys payload ROLE' exports what is to be signed"]).joined(separator: "\n")
    }
  }

  private static let unfinished =
    "\nA change that was under way is finished. The one that you asked for was not begun: ask again if it is still needed."

  var json: JSONValue {
    switch outcome {
    case .published(let published):
      [
        "published": true, "root": .integer(Int64(published.root.version)),
        "targets": .integer(Int64(published.targets.version)), "finishedAnother": .bool(isAnother),
      ]
    case .waits(let needs): ["published": false, "needs": .array(needs.map(\.json))]
    }
  }
}
