import SeedFormat

/// The use of a key: one of TUF's top-level roles, or the roles of all series.
package enum KeyRole: String, CaseIterable, Hashable, Sendable {
  /// Names the keys of the top-level roles.
  case root
  /// Names the keys of the series.
  case targets
  /// Signs each series' versions, snapshots and deltas.
  case series
  /// Signs the set of all metadata versions that belong together.
  case snapshot
  /// Signs, at short intervals, which metadata is the newest.
  case timestamp

  /// Whether a publish step needs no such key, so that it may be kept away from the publisher.
  package var isOffline: Bool { self == .root || self == .targets }

  /// Root metadata names the keys of all roles except the series', which are in targets metadata.
  package var isInRoot: Bool { self != .series }
}

package struct RoleKeys: Hashable, Sendable {
  /// The accepted key ids, without duplicates.
  package let keyIDs: [String]
  package let threshold: Int

  package init(_ verifiers: RoleVerifiers) {
    keyIDs = verifiers.keys.map(\.keyID)
    threshold = verifiers.threshold
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    keyIDs = try fields.strings("keyids")
    guard Set(keyIDs).count == keyIDs.count else { throw fields.error("keyids", "a key id occurs twice") }
    threshold = try fields.integer("threshold", from: 1)
  }

  var members: [JSONMember] {
    .init(("keyids", JSONValue(strings: keyIDs)), ("threshold", JSONValue(threshold)))
  }
}

package struct RoleVerifiers: Hashable, Sendable {
  package let keys: [PublicKey]
  package let threshold: Int

  package init(_ keys: [PublicKey], threshold: Int = 1) { (self.keys, self.threshold) = (keys, threshold) }

  package static func keysByID(_ roles: some Sequence<RoleVerifiers>) -> [String: RoleKey] {
    let pairs = roles.flatMap(\.keys).map { ($0.keyID, RoleKey($0)) }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}
