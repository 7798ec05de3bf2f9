package import SeedFormat

package struct VerificationReport: Sendable {
  package internal(set) var findings: [Finding] = []
  /// Files in the publication that no current metadata names. Clients may still be fetching them.
  package internal(set) var unnamed: [String] = []
  package internal(set) var series = 0
  package internal(set) var metadataFiles = 0
  package internal(set) var objects = 0
  package internal(set) var bytes = 0
  /// The number of snapshots whose rows were hashed.
  package internal(set) var snapshots = 0
  package internal(set) var deltas = 0
  /// The number of deltas that no published snapshot leads to. Only their hashes were checked.
  package internal(set) var passedDeltas = 0

  package var isSound: Bool { findings.areSound }

  mutating func add(_ severity: Finding.Severity, _ path: String, _ problem: String, remedy: String) {
    findings.append(Finding(severity, path, problem, remedy: remedy))
  }

  mutating func error(_ path: String, _ problem: String, remedy: String = Remedy.restore) {
    add(.error, path, problem, remedy: remedy)
  }
}

enum Remedy {
  static let restore = "restore it from a backup, a mirror or a follower's copy"
  static let regenerate = "run 'seedbank regenerate'"
  static let snapshot =
    "compare the versions with 'seedbank diff' and publish a new snapshot with 'seedbank regenerate --snapshot'"
}
