import SeedFormat

/// How a state of an origin follows one that was read before.
package enum OriginRelation: Hashable, Sendable {
  /// It has all of it, or the origin cannot tell.
  case follows
  /// It may lack some of it, and will have it in a while.
  case behind(OriginLag)
  /// It belongs to another history, as after a failover or a restore, and may lack anything.
  case other(LogDoubt)
}

/// By how much a standby lacks what was read before.
package struct OriginLag: Hashable, Sendable, CustomStringConvertible {
  let server: String
  /// Of the write-ahead log; 0 if they cannot be counted.
  let bytes: Int

  package init(server: String, bytes: Int) { (self.server, self.bytes) = (server, bytes) }

  package var description: String {
    "the standby \(server) lacks what was published already"
      + (bytes > 0 ? ", \(ByteCount(bytes: bytes)) of its primary's write-ahead log" : "")
  }
}
