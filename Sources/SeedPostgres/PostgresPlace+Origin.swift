package import SeedServer
import SeedSystem

extension PostgresPlace: OriginPlace {
  package var watchedFile: String? { nil }

  package func stamp() throws -> (any OriginStamp)? { try PostgresStamp(self) }

  /// For how long locks are waited for is the place's own setting. Who would not wait at all gets no long silence either.
  package func open(waitSeconds: Int) throws -> any Origin {
    var place = self
    if waitSeconds == 0 { place.connectSeconds = Self.impatientSeconds }
    return try PostgresOrigin(place)
  }

  private static let impatientSeconds = 2
}

/// Which transactions of a server are over. Where no other one has ended since, no row of it is another one: a look costs one
/// small query, whatever the tables hold. Writing to another database of the same server shows as well, and then costs a
/// comparison that finds nothing.
private struct PostgresStamp: OriginStamp {
  private let place: PostgresPlace
  private let takenAt = UTCTime.now().secondsSinceEpoch
  let text: String

  /// The start of the server tells it from a copy of it and from a restored one. The user decides which rows there are to see.
  ///
  /// A standby's snapshot leaves out transactions in progress, so there the place in the write-ahead log that was reached counts
  /// as well. It is read first: what is replayed in between is at worst read once more.
  private static let query = """
    SELECT pg_postmaster_start_time()::text, current_user, (SELECT oid FROM pg_database WHERE datname = current_database()), \
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END
    """

  init(_ place: PostgresPlace) throws {
    self.place = place
    let connection = try PostgresConnection(place)
    let server = try connection.rows(Self.query)
    let snapshot = try connection.rows("SELECT pg_current_snapshot()")
    text = (server + snapshot).joined().map { $0 ?? "" }.joined(separator: "|")
  }

  var isSettled: Bool { true }

  func renewed() -> (any OriginStamp)? {
    guard OriginRest.lasts(from: takenAt, to: UTCTime.now().secondsSinceEpoch),
      let now = try? PostgresStamp(place), now.text == text
    else { return nil }
    return self
  }
}
