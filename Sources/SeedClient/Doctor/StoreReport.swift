package import SeedDatabase

package struct StoreReport: Hashable, Sendable {
  package struct Data: Hashable, Sendable {
    package let meta: SeedMeta
    package let file: String
    package let rows: Int
  }

  package internal(set) var data: Data?
  package internal(set) var findings: [Finding] = []
  /// Generations whose rows were hashed: the current and the previous one.
  package internal(set) var generations = 0
  package internal(set) var metadataFiles = 0
  package internal(set) var partialBytes = 0
  /// Whether a process writes to the store; some findings may then be its work in progress.
  package internal(set) var isInUse = false

  /// True if the app's data matches the publication.
  package var isSound: Bool { findings.areSound }

  mutating func add(_ severity: Finding.Severity, _ path: String, _ problem: String, _ remedy: String) {
    findings.append(Finding(severity, path, problem, remedy: remedy))
  }
}

enum StoreRemedy {
  static let update = "update, in the app or by 'seedbank pull': a snapshot takes its place"
  static let repair =
    "verify and update it, by verify() and update() in the app or by 'seedbank pull --verify': a snapshot takes its "
    + "place"
  static let none = "no action needed"
  static let collection = "no action needed: a writer removes it after its last reader"
  static let previous = "rolling back is not possible until the next snapshot has been downloaded"
  static let sweep = "no action needed: the next writer removes it"
  static let root = "give --root with the publication's root.json, from a source that you trust"
}
