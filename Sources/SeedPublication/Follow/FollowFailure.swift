import SeedTrust

/// Why a server's publication was rejected. The local one stays unchanged.
package struct FollowFailure: Error, Hashable {
  let error: TrustError
  let server: String

  /// The server is behind the local copy, which is no reason for distrust if there are other sources.
  package var isOlder: Bool { if case .rollback = error { true } else { false } }

  package var isUnavailable: Bool { if case .missingFile = error { true } else { false } }

  package var message: String {
    switch error {
    case .expired(let role, let time):
      "\(server): its \(role) metadata expired at \(time), so clients reject it. Its publisher is down, or the clock of this "
        + "machine is wrong. The copy here is unchanged."
    case .badSignature:
      "\(server): \(error). Its keys are not those of the root file: compare the address and root.json with the publisher's."
    case .rollback:
      "\(server) has an older state than the copy here: \(error). After a restore there, its operator must run 'seedbank "
        + "new-epoch'; if it is a copy, it is behind. The copy here is unchanged."
    case .conflict: "\(server): \(error). The copy here is unchanged."
    case .missingFile(MetadataName.unversioned(Timestamp.type)):
      "\(server) does not have metadata/timestamp.json: give the address of a publication, whose folder metadata has that file."
    case .missingFile(let name):
      "\(server) does not have metadata/\(name), which its other metadata names: try again later, or ask its operator."
    default: "\(server): \(error): ask its operator."
    }
  }
}
