// Target files that are not objects of a series, of which Seedbank's publications have none. The suite of
// Scripts/tuf-conformance tests them.

import SeedTrust

/// TUF's search for the role that lists a path (§5.6.7): pre-order, depth first. Decides on the next role without I/O.
struct DelegationSearch {
  /// The most delegated roles that a search visits.
  static let roleLimit = 32

  /// A role to search, and its delegator, nil at the top.
  struct Step {
    let role: String
    let delegator: String?
  }

  private let path: String
  /// The next step is the last element.
  private var ahead = [Step(role: Targets.type, delegator: nil)]
  private var visited: Set<String> = []

  init(for path: String) { self.path = path }

  /// The next role to search. Visits no role twice, so cycles end.
  mutating func next() -> Step? {
    while visited.count <= Self.roleLimit, let step = ahead.popLast() {
      if visited.insert(step.role).inserted { return step }
    }
    return nil
  }

  /// Continues with the delegates of a role that does not list the path.
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
  /// The entry for the file at `path`; nil if no role with authority over it lists it.
  ///
  /// Every role is verified for the delegator through which it was reached. An invalid role ends the search with its
  /// error; otherwise an attacker could withhold its metadata to let a less trusted role answer.
  mutating func target(_ path: String) async throws -> TargetFile? {
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
  /// The file's percent-encoded URL path relative to the targets.
  ///
  /// With consistent snapshots, a digest precedes the file's name; nil if no digest has a known kind.
  func repositoryPath(of path: String, consistentSnapshot: Bool) -> String? {
    var segments = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    if consistentSnapshot {
      guard let digest = hashes["sha256"] ?? hashes["sha512"] else { return nil }
      segments[segments.count - 1] = "\(digest).\(segments[segments.count - 1])"
    }
    return segments.map(MetadataName.quoted).joined(separator: "/")
  }

  /// Throws unless length and every digest match; an unknown kind of digest fails.
  func check(_ bytes: [UInt8], of path: String) throws(TargetFileError) {
    guard bytes.count == length else {
      throw .lengthMismatch(path: path, signed: length, found: bytes.count)
    }
    if let algorithm = FileHashes.mismatch(in: hashes, of: bytes) {
      throw .hashMismatch(path: path, algorithm: algorithm)
    }
  }
}

/// Why a downloaded file differs from the signed one.
enum TargetFileError: Error, Hashable, Sendable, CustomStringConvertible {
  case lengthMismatch(path: String, signed: Int, found: Int)
  /// Also for an unknown kind of digest.
  case hashMismatch(path: String, algorithm: String)

  var description: String {
    switch self {
    case .lengthMismatch(let path, let signed, let found):
      "\(path) has \(found) bytes where \(signed) were signed"
    case .hashMismatch(let path, let algorithm): "the \(algorithm) of \(path) does not match the signed one"
    }
  }
}
