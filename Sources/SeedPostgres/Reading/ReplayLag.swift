/// The lag of a standby behind the server that feeds it.
struct ReplayLag: Hashable {
  /// The status of the WAL receiver; nil if none is running, empty if this user may not read the status.
  let receiver: String?
  /// Whether the standby has replayed exactly as far as it has received.
  let hasReplayedAll: Bool
  /// Seconds since the newest replayed transaction; nil before the first one.
  let age: Int?

  /// A standby that is streaming and has replayed everything is not behind, even if the last write is old. Otherwise,
  /// it may be behind by the age of its newest replayed transaction.
  ///
  /// A restarted standby that cannot follow its primary has received less than it has replayed. Without a restart, only
  /// the receiver's status shows that it cannot follow. For a user who lacks pg_read_all_stats and so cannot read the
  /// status, a receiver counts as streaming. Otherwise, each standby of an idle primary would report a growing lag.
  var seconds: Int? {
    let isStreaming = receiver.map { ["", "streaming"].contains($0) } ?? false
    return isStreaming && hasReplayedAll ? 0 : age
  }

  /// The replay position is read before the received position, which can only grow in between.
  static let query = """
    (SELECT coalesce(status, '') FROM pg_stat_wal_receiver), pg_last_wal_replay_lsn() = pg_last_wal_receive_lsn(), \
    floor(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()))::bigint
    """
}

extension ReplayLag {
  /// - Parameter row: The columns of `query`.
  init(_ row: [String?]) {
    let age = row[2].flatMap { Int($0) }.map { max(0, $0) }
    self.init(receiver: row[0], hasReplayedAll: row[1] == "t", age: age)
  }
}
