package import SeedFormat
package import SeedSystem

package enum TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  case badSignature(role: String, found: Int, needed: Int)
  case rollback(role: String, trusted: Int, offered: Int)
  /// The trusted version was offered again with other signed content.
  case conflict(role: String, version: Int)
  case expired(role: String, at: UTCTime)
  case wrongVersion(role: String, expected: Int, offered: Int)
  case malformed(role: String, MalformedJSON)
  case lengthMismatch(role: String, signed: Int, found: Int)
  case hashMismatch(role: String, algorithm: String)
  case tooLong(role: String, limit: Int)
  case missingRole(role: String, place: String)
  case missingFile(name: String)
  case pathNotDelegated(role: String, path: String)
  /// A bug in the caller: it passed a role before one that it depends on, or after one that depends on it.
  case outOfOrder(role: String)

  package var description: String {
    switch self {
    case .badSignature(let role, let found, let needed):
      "\(role) metadata has \(found) of the \(needed) required valid signatures"
    case .rollback(let role, let trusted, let offered):
      "\(role) metadata of version \(offered) was offered after version \(trusted)"
    case .conflict(let role, let version):
      "\(role) metadata of version \(version) differs from version \(version) seen before: the publication "
        + "seems to come from an old backup, and its publisher should run 'seedbank new-epoch'"
    case .expired(let role, let time):
      "\(role) metadata expired at \(time): the repository is stale, or this device's clock is wrong"
    case .wrongVersion(let role, let expected, let offered):
      "\(role) metadata has version \(offered), but version \(expected) was announced"
    case .malformed(let role, let reason): "\(role) metadata is malformed: \(reason)"
    case .lengthMismatch(let role, let signed, let found):
      "\(role) metadata has \(found) bytes, but \(signed) were announced"
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
