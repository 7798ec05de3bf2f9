import SeedFormat

/// The relation of an origin's state to one that was read before.
package enum OriginRelation: Hashable, Sendable {
  /// The state includes the earlier one, or the origin has no positions.
  case follows
  /// The state may lack recent changes, which will arrive.
  case behind(OriginLag)
  /// The state belongs to another history, for example after a failover or a restore.
  case other(LogDoubt)
}

package struct OriginLag: Hashable, Sendable, CustomStringConvertible {
  let server: String
  /// The missing bytes of the write-ahead log, or 0 if unknown.
  let bytes: Int

  package init(server: String, bytes: Int) { (self.server, self.bytes) = (server, bytes) }

  package var description: String {
    "the standby \(server) lacks what was published already"
      + (bytes > 0 ? ", \(ByteCount(bytes: bytes)) of its primary's write-ahead log" : "")
  }
}
