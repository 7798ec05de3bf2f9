package import SeedFormat
package import SeedSystem

/// Why metadata was not accepted.
package enum TrustError: Error, Hashable, Sendable {
  /// Fewer of the role's keys signed than must.
  case badSignature(role: String, found: Int, needed: Int)
  /// An older version was offered than one that was trusted before.
  case rollback(role: String, trusted: Int, offered: Int)
  /// The version that was trusted before was offered again, signed, with other content.
  case conflict(role: String, version: Int)
  /// The metadata was valid only before that time.
  case expired(role: String, at: UTCTime)
  /// Another version was offered than signed metadata announced.
  case wrongVersion(role: String, expected: Int, offered: Int)
  /// The file is not metadata of that role.
  case malformed(role: String, MalformedJSON)
  /// The length differs from the one that signed metadata announced.
  case lengthMismatch(role: String, signed: Int, found: Int)
  /// The digest differs from the one that signed metadata announced.
  case hashMismatch(role: String, algorithm: String)
  /// The file is longer than any that is accepted.
  case tooLong(role: String, limit: Int)
  /// The role is not named where it must be: `place` is the role that should name it.
  case missingRole(role: String, place: String)
  /// The repository does not have a file that its metadata promises.
  case missingFile(name: String)
  /// A role lists a file that it was not delegated.
  case pathNotDelegated(role: String, path: String)
  /// The caller offered a role before one that it builds on, or after one that builds on it.
  case outOfOrder(role: String)
}

extension TrustError {
  /// False where the calling code is to blame.
  package var isRepositoryFault: Bool {
    if case .outOfOrder = self { false } else { true }
  }
}

extension TrustError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badSignature(let role, let found, let needed):
      "\(role) metadata has \(found) of the \(needed) valid signatures that it needs"
    case .rollback(let role, let trusted, let offered):
      "\(role) metadata of version \(offered) was offered after version \(trusted)"
    case .conflict(let role, let version):
      "\(role) metadata of version \(version) differs from version \(version) seen before: the publication "
        + "seems to come from an old backup, and its publisher should run `seedbank new-epoch`"
    case .expired(let role, let time):
      "\(role) metadata expired at \(time): the repository is stale, or this device's clock is wrong"
    case .wrongVersion(let role, let expected, let offered):
      "\(role) metadata has version \(offered) where version \(expected) was announced"
    case .malformed(let role, let reason): "\(role) metadata is malformed: \(reason)"
    case .lengthMismatch(let role, let signed, let found):
      "\(role) metadata has \(found) bytes where \(signed) were announced"
    case .hashMismatch(let role, let algorithm):
      "the \(algorithm) of \(role) metadata does not match the announced one"
    case .tooLong(let role, let limit): "\(role) metadata is longer than \(limit) bytes"
    case .missingRole(let role, let place): "\(place) metadata does not name the role \(role)"
    case .missingFile(let name): "the repository does not have the file \(name)"
    case .pathNotDelegated(let role, let path):
      "\(role) metadata lists \(path), which was not delegated to it"
    case .outOfOrder(let role): "\(role) metadata was offered out of order"
    }
  }
}
