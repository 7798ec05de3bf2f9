/// How a state of an origin follows one that was read before.
package enum OriginRelation: Hashable, Sendable {
  /// It has all of it, or the origin cannot tell.
  case follows
  /// It is a standby of that name, which may lack some of it, and will have it in a while.
  case behind(standby: String)
  /// It belongs to another history, as after a failover or a restore, and may lack anything.
  case other(LogDoubt)
}
