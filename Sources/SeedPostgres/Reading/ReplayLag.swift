/// The lag of a standby behind the server that feeds it.
enum ReplayLag {
  /// Returns the lag in seconds, from the columns of `query`; nil before the first replayed transaction.
  ///
  /// A standby that is streaming and has replayed everything is not behind, even if the last write is old. Otherwise,
  /// it may be behind by the age of its newest replayed transaction.
  ///
  /// A restarted standby that cannot follow its primary has received less than it has replayed. Without a restart, only
  /// the receiver's status shows that it cannot follow. For a user who lacks pg_read_all_stats and so cannot read the
  /// status, a receiver counts as streaming. Otherwise, each standby of an idle primary would report a growing lag.
  static func seconds(_ row: [String?]) -> Int? {
    // The status of the WAL receiver is nil if none is running, and empty if this user may not read it.
    let isStreaming = row[0].map { ["", "streaming"].contains($0) } ?? false
    let hasReplayedAll = row[1] == "t"
    return isStreaming && hasReplayedAll ? 0 : row[2].flatMap { Int($0) }.map { max(0, $0) }
  }

  /// The replay position is read before the received position, which can only grow in between.
  static let query = """
    (SELECT coalesce(status, '') FROM pg_stat_wal_receiver), pg_last_wal_replay_lsn() = pg_last_wal_receive_lsn(), \
    floor(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()))::bigint
    """
}
