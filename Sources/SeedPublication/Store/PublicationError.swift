package import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

package enum PublicationError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(path: String)
  case missingCopy(path: String)
  case damaged(file: String)
  case damagedRoot(file: String)
  /// `copy` is another file that contains the missing root.
  case missingRoot(file: String, copy: String?)
  case otherRoot(shipped: String, file: String)
  /// `by` is the process that holds the lock, if the system names it.
  case locked(path: String, by: String?, waitedSeconds: Int)
  case copyAhead(copy: String, version: String, head: String)
  case notDelegated(series: String)
  case noSnapshot(series: String)
  /// A follower or an unfinished 'recover' works on the folder.
  case unfinished(path: String)
  /// `isResuming` means that the step would also have ended a hold, so the operator must confirm both. `gained`
  /// describes the origin's new parts.
  case shrunk([SeedSeries: [ShrunkTable]], isResuming: Bool = false, gained: String = "")
  case foreignKey(role: KeyRole, path: String)
  case keyMissing(role: KeyRole, found: Int, needed: Int)
  case epochWithoutTargetsKey
  case severalSeriesKeys(count: Int)
  case changeWaits
  case changeExpired(role: KeyRole, at: UTCTime)
  case noChange
  case damagedChange(file: String)

  /// Whether the operator must correct keys or configuration rather than the publication.
  package var isConfiguration: Bool {
    switch self {
    case .unfinished, .notDelegated, .foreignKey, .keyMissing, .epochWithoutTargetsKey, .severalSeriesKeys,
      .changeWaits, .changeExpired, .noChange, .damagedChange:
      true
    default: false
    }
  }

  /// The last resort, because every client must download a snapshot. Public pages omit it.
  package static let startingOver = ", or start over with 'seedbank new-epoch'"

  package var description: String {
    switch self {
    case .missing(let path):
      "there is no publication at \(path): is its disk mounted? If there never was one, 'seedbank init' makes it. If it was "
        + "lost, restore it from a backup, or with 'seedbank recover' from a mirror or a follower\(Self.startingOver)"
    case .missingCopy(let path):
      "there is no copy at \(path): the follower's next successful check downloads it"
    case .damaged(let file): "\(file) does not match the signed metadata: restore it from a backup"
    case .damagedRoot(let file):
      "\(file) is not root metadata: restore it from a backup, a mirror or a follower, or remove it if it never belonged "
        + "to the publication"
    case .missingRoot(let file, let copy):
      "\(file) is missing, so clients with older roots cannot follow, and keys that it revoked would be valid again: "
        + (copy.map { "copy \($0) to that name" }
          ?? "restore it from a backup, a mirror or a follower; if no copy is left, remove the older roots")
    case .otherRoot(let shipped, let file):
      "\(shipped) is not a root of this publication, which has \(file): apps that ship it reject this publication; "
        + "restore a root.json and a publication that belong together"
    // Omits the holder, so that another holder does not look like a new failure.
    case .locked(let path, _, let seconds):
      "another publisher has been working on \(path) for more than \(seconds) seconds: try again when it is done, or end it "
        + "if it hangs"
    case .copyAhead(let copy, let version, let head):
      "the working copy \(copy) is at version \(version), ahead of the publication's \(head): "
        + "the publication seems to come from an old backup; move it away, and restore the newest one from a backup, "
        + "or with 'seedbank recover' from a mirror or a follower\(Self.startingOver)"
    case .notDelegated(let series):
      "the series \(series) is new, and the targets key that must sign its delegation is not here: "
        + "'seedbank keys renew targets --with FOLDER' signs it with the key in that folder"
    case .unfinished(let path):
      "\(path) is a copy of a publication: to finish a recovery, run 'seedbank recover' again before anything is "
        + "published\(Self.startingOver)"
    case .noSnapshot(let series):
      "the newest version of \(series) cannot be rebuilt from published files: restore the publication from a backup, or with "
        + "'seedbank recover' from a mirror or a follower\(Self.startingOver)"
    case .shrunk(let series, let isResuming, let gained):
      series.sorted { $0.key < $1.key }.map { series, tables in
        "\(series) is held back: \(tables.map(\.description).joined(separator: ", ")). "
      }.joined() + (gained.isEmpty ? "" : "The origin has gained \(gained). ")
        + "If this is intended, run 'seedbank regenerate\(series.keys.first.map { " --dataset \($0.dataset)" } ?? "")"
        + "\(isResuming ? " --resume" : "") --accept-shrink'"
    case .foreignKey(let role, let path):
      "the publication at \(path) expects a different key for the role \(role.rawValue) than the one here. After a rotation, "
        + "put the new key into the keys folder; after a restore, restore the newest publication too, with 'seedbank "
        + "recover' from a mirror or a follower. Otherwise it belongs to another deployment. 'seedbank keys status' shows both keys"
    case .keyMissing(let role, let found, let needed):
      "found \(found) of the \(needed) \(role.rawValue) keys that must sign each step: put the missing keys back, or "
        + "replace them with 'seedbank keys rotate \(role.rawValue)'; 'seedbank keys status' lists them"
    case .epochWithoutTargetsKey:
      "a new epoch needs a signature by the targets key, which is not here: give the key's folder with --with"
    case .severalSeriesKeys(let count):
      "found \(count) series keys, but a new epoch uses only one: move the replaced keys out of the keys folder"
    case .changeExpired(let role, let time):
      "the \(role.rawValue) metadata that waits for signatures expired at \(time): drop it with 'seedbank keys discard', and "
        + "begin the change again"
    case .changeWaits:
      "a key change waits for signatures: 'seedbank keys status' names the keys; add their signatures "
        + "with 'seedbank keys add-signature', or drop the change with 'seedbank keys discard'"
    case .noChange:
      "no key change waits for signatures: 'seedbank keys renew', 'rotate' and 'revoke' begin one"
    case .damagedChange(let file):
      "\(file) is not a key change: drop it with 'seedbank keys discard', and begin the change again"
    }
  }
}
