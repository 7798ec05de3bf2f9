package import SeedFormat

/// The findings of a verification, and how much it looked at.
package struct VerificationReport: Sendable {
  package internal(set) var findings: [Finding] = []
  /// Files, within the publication, that no current metadata names; clients may still be fetching them.
  package internal(set) var unnamed: [String] = []
  /// Series whose objects were looked at.
  package internal(set) var series = 0
  /// Metadata files that were verified.
  package internal(set) var metadataFiles = 0
  /// Objects that were read and hashed, and their bytes.
  package internal(set) var objects = 0
  package internal(set) var bytes = 0
  /// Snapshots whose rows were hashed.
  package internal(set) var snapshots = 0
  /// Deltas that were applied.
  package internal(set) var deltas = 0
  /// Deltas that begin where no published snapshot leads any more: they are known by their hashes alone.
  package internal(set) var passedDeltas = 0

  /// Clients get what they should: there is no error among the findings.
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
