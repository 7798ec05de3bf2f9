/// How an origin's state relates to the one read earlier.
package enum OriginRelation: Hashable, Sendable {
  /// The state includes the earlier one, or the origin has no positions.
  case follows
  /// The state is a standby's that may lack recent changes, which will arrive.
  case behind(standby: String)
  /// The state belongs to another history, for example after a failover or a restore.
  case other(LogDoubt)
}
