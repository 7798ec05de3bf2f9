/// What a key is kept for: one of TUF's top-level roles, or all the series' roles.
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

  /// Whether the key may be kept away from the publisher: a publish step does without it.
  package var isOffline: Bool { self == .root || self == .targets }

  /// Whether root metadata names the role's keys; those of the series stand in targets metadata.
  package var isInRoot: Bool { self != .series }
}
