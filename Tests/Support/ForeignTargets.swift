// Target files that are not a series' objects, for ConformanceClient: a publication of ours has none, and its clients look for
// none.

package import SeedTrust

/// TUF's search for the role that lists a path (§5.6.7): pre-order and depth first. It decides where to look
/// next, and reads nothing itself.
struct DelegationSearch {
  /// Delegated roles that one search looks into.
  static let roleLimit = 32

  /// A role to look into, and the role that delegates the path to it.
  struct Step {
    let role: String
    /// `nil` at the top.
    let delegator: String?
  }

  private let path: String
  /// The next step is the last of them.
  private var ahead = [Step(role: Targets.type, delegator: nil)]
  private var visited: Set<String> = []

  /// Begins at the top-level targets role.
  init(for path: String) { self.path = path }

  /// Where to look now; no role comes twice, so a cycle ends.
  mutating func next() -> Step? {
    while visited.count <= Self.roleLimit, let step = ahead.popLast() {
      if visited.insert(step.role).inserted { return step }
    }
    return nil
  }

  /// Goes on with the roles to which `role` delegates the path, where it does not list the path itself.
  mutating func descend(from role: String, _ delegations: Delegations?) {
    let children = delegations?.roles.filter { $0.paths.admit(path) } ?? []
    let steps = children.map { Step(role: $0.name, delegator: role) }
    if let last = children.firstIndex(where: \.terminating) {
      ahead = steps[...last].reversed()
    } else {
      ahead += steps.reversed()
    }
  }
}

extension MetadataRefresh {
  /// What the repository says of the file at `path`, or `nil` where no role with authority over it lists it.
  ///
  /// Every role is verified for the delegator through which it was reached. A role that fails ends the search
  /// with its error: else whoever holds back one role's metadata lets a less trusted role answer.
  package mutating func target(_ path: String) async throws -> TargetFile? {
    var search = DelegationSearch(for: path)
    while let step = search.next() {
      if let delegator = step.delegator { try await targets(step.role, delegator: delegator) }
      guard let role = trusted.targets[step.role] else { throw TrustError.outOfOrder(role: step.role) }
      if let file = role.targets[path] { return file }
      search.descend(from: step.role, role.delegations)
    }
    return nil
  }
}

extension TargetFile {
  /// Where a repository serves the file, relative to its targets and percent-quoted.
  ///
  /// With consistent snapshots a digest comes before the file's name; `nil` where none is of a known kind.
  package func repositoryPath(of path: String, consistentSnapshot: Bool) -> String? {
    var segments = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    if consistentSnapshot {
      guard let digest = hashes["sha256"] ?? hashes["sha512"] else { return nil }
      segments[segments.count - 1] = "\(digest).\(segments[segments.count - 1])"
    }
    return segments.map(MetadataName.quoted).joined(separator: "/")
  }

  /// Fails unless the bytes have the signed length and every signed digest, each of a known kind.
  package func check(_ bytes: [UInt8], of path: String) throws(TargetFileError) {
    guard bytes.count == length else {
      throw .lengthMismatch(path: path, signed: length, found: bytes.count)
    }
    if let algorithm = FileHashes.mismatch(in: hashes, of: bytes) {
      throw .hashMismatch(path: path, algorithm: algorithm)
    }
  }
}

/// Why a downloaded file is not the one that was signed.
package enum TargetFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file has another length.
  case lengthMismatch(path: String, signed: Int, found: Int)
  /// The file has another digest, or the digest is of a kind unknown here.
  case hashMismatch(path: String, algorithm: String)

  /// One sentence: which file, what was found, what was expected.
  package var description: String {
    switch self {
    case .lengthMismatch(let path, let signed, let found):
      "\(path) has \(found) bytes where \(signed) were signed"
    case .hashMismatch(let path, let algorithm): "the \(algorithm) of \(path) does not match the signed one"
    }
  }
}
