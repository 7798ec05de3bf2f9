import SeedPublication
package import SeedPublisher
import SeedSystem

extension PostgresPlace: OriginPlace {
  package var watchedFile: String? { nil }

  package func look() throws -> OriginLook {
    let connection = try PostgresConnection(self)
    var unused: PostgresConnection? = connection
    let reuse: (Int) throws -> any Origin = { waitSeconds in
      guard let connection = unused else { return try open(waitSeconds: waitSeconds) }
      unused = nil
      return try PostgresOrigin(connection)
    }
    return (try PostgresStamp(connection), reuse)
  }

  /// Locks are waited for as the place configures. With `waitSeconds` 0, the connection timeout is short too.
  package func open(waitSeconds: Int) throws -> any Origin {
    var place = self
    if waitSeconds == 0 { place.connectSeconds = Self.impatientSeconds }
    return try PostgresOrigin(place)
  }

  private static let impatientSeconds = 2
}

/// The finished transactions of a server. If no other one has finished since, no row has changed, so a check costs one
/// small query. A write to another database of the server costs a comparison that finds nothing.
private struct PostgresStamp: OriginStamp {
  private let place: PostgresPlace
  private let takenAt = UTCTime.now().secondsSinceEpoch
  let text: String
  let lagSeconds: Int?
  let server: OriginServer?

  /// The start time distinguishes the server from a copy and from a restored one; the user determines which rows are
  /// visible.
  ///
  /// A standby's snapshot omits transactions in progress, so its replay position counts too. It is read first, in a
  /// separate statement, so that data replayed in between is at worst read twice.
  private static let query = """
    SELECT pg_postmaster_start_time()::text, current_user, (SELECT oid FROM pg_database WHERE datname = current_database()), \
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END
    """

  /// A standby that has replayed all it received is not behind, however old the last write; one that receives nothing
  /// may be as far behind as its newest transaction is old. Its lag is unknown before it has replayed one.
  private static let snapshotQuery = """
    SELECT pg_current_snapshot(), CASE WHEN NOT pg_is_in_recovery() THEN NULL \
    WHEN EXISTS (SELECT FROM pg_stat_wal_receiver) AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn() THEN 0 \
    WHEN pg_last_xact_replay_timestamp() IS NOT NULL \
    THEN greatest(0, floor(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())))::bigint END, \
    pg_is_in_recovery(), host(inet_server_addr())
    """

  init(_ connection: PostgresConnection) throws {
    place = connection.place
    let server = try connection.rows(Self.query)
    let row = try connection.rows(Self.snapshotQuery).first ?? [nil, nil, nil, nil]
    self.server = connection.answeringServer(at: row[3], isStandby: row[2] == "t")
    lagSeconds = row[1].flatMap { Int($0) }
    text = (server.joined() + [row[0]]).map { $0 ?? "" }.joined(separator: "|")
  }

  var isSettled: Bool { true }

  func renewed() -> (any OriginStamp)? {
    guard OriginRest.lasts(from: takenAt, to: UTCTime.now().secondsSinceEpoch),
      let now = try? PostgresStamp(PostgresConnection(place)), now.text == text
    else { return nil }
    return self
  }
}
