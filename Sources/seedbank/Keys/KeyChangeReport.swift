import SeedFormat
import SeedServer
import SeedTrust

/// Files of keys that a change touched.
struct KeyFiles {
  var new: [String] = []
  /// Files of keys that counted before, and count no more.
  var replaced: [String] = []
}

/// What `keys` tells of a change.
struct KeyChangeReport {
  private let outcome: KeyChangeOutcome
  private let files: KeyFiles
  /// Whether it is another change than the one that was asked for.
  private let isAnother: Bool

  init(_ outcome: KeyChangeOutcome, files: KeyFiles = KeyFiles()) {
    (self.outcome, self.files, isAnother) = (outcome, files, false)
  }

  /// A change that was under way is finished, and nothing else was begun.
  init(finishedAnother published: PublishedMetadata, files: KeyFiles) {
    (outcome, self.files, isAnother) = (.published(published), files, true)
  }

  var text: String {
    switch outcome {
    case .published(let published):
      ([Self.line(published)] + files.new.map { "new key: \($0.printable)" }
        + files.replaced.map { "replaced, and may be deleted: \($0.printable)" }).joined(separator: "\n")
        + (isAnother ? Self.unfinished : "")
    case .waits(let needs):
      (["not published yet: it waits for signatures"] + needs.map { "  " + $0.line } + Self.next(needs))
        .joined(
          separator: "\n")
    }
  }

  private static func line(_ published: PublishedMetadata) -> String {
    "published: root \(published.root.version) until \(published.root.expires), targets \(published.targets.version) until"
      + " \(published.targets.expires)"
  }

  private static func next(_ needs: [SignatureNeed]) -> [String] {
    guard let role = needs.first(where: { !$0.isMet })?.role.rawValue else { return [] }
    return ["next: 'seedbank keys payload \(role) > \(role).payload' exports what is to be signed"]
  }

  private static let unfinished =
    "\nA change that was under way is finished. The one that you asked for was not begun: ask again if it is still needed."

  var json: JSONValue {
    switch outcome {
    case .published(let published):
      [
        "published": true, "root": .integer(Int64(published.root.version)),
        "targets": .integer(Int64(published.targets.version)), "finishedAnother": .bool(isAnother),
        "newFiles": .array(files.new.map { .string($0) }),
        "replacedFiles": .array(files.replaced.map { .string($0) }),
      ]
    case .waits(let needs): ["published": false, "needs": .array(needs.map(\.json))]
    }
  }
}
