import SeedFormat

/// The use of a key: one of TUF's top-level roles, or all the series' roles.
package enum KeyRole: String, CaseIterable, Hashable, Sendable {
  /// Says which keys speak for whom.
  case root
  /// Says which keys speak for the series.
  case targets
  /// Signs what each series is: versions, snapshots, deltas.
  case series
  /// Signs which versions of all metadata belong together.
  case snapshot
  /// Signs, again and again, that this is the newest.
  case timestamp

  /// A publish step does without an offline key, which may be kept away from the publisher.
  package var isOffline: Bool { self == .root || self == .targets }

  /// Root metadata names the keys of all roles but the series', which stand in targets metadata.
  package var isInRoot: Bool { self != .series }
}

/// Whose signatures a role needs, and how many.
package struct RoleKeys: Hashable, Sendable {
  /// The keys that count; no id occurs twice.
  package let keyIDs: [String]
  /// How many of them must have signed, at least one.
  package let threshold: Int
  private let other: [JSONMember]

  package init(_ verifiers: RoleVerifiers) {
    keyIDs = verifiers.keys.map(\.keyID)
    threshold = verifiers.threshold
    other = []
  }

  /// A delegation has these two fields among others, which it keeps itself.
  init(reading fields: inout JSONObjectReader, keepingOthers: Bool = true) throws(MalformedJSON) {
    keyIDs = try fields.strings("keyids")
    guard Set(keyIDs).count == keyIDs.count else { throw fields.error("keyids", "a key id occurs twice") }
    threshold = try fields.integer("threshold", from: 1)
    other = keepingOthers ? fields.unread : []
  }

  var members: [JSONMember] {
    .init(("keyids", JSONValue(strings: keyIDs)), ("threshold", JSONValue(threshold))) + other
  }
}

/// The public keys of one role, and how many of them must have signed.
package struct RoleVerifiers: Hashable, Sendable {
  package let keys: [PublicKey]
  package let threshold: Int

  package init(_ keys: [PublicKey], threshold: Int = 1) { (self.keys, self.threshold) = (keys, threshold) }

  static func keysByID(_ roles: some Sequence<RoleVerifiers>) -> [String: RoleKey] {
    let pairs = roles.flatMap(\.keys).map { ($0.keyID, RoleKey($0)) }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}
