package import SeedDatabase
import SeedFormat
import SeedPublication
package import SeedPublisher
import SeedSystem

/// Reads one schema of a database in one transaction, while other sessions may write.
package final class PostgresOrigin: Origin {
  private let connection: PostgresConnection
  private let types: TypeCatalog
  private var reading: ReadingCatalog
  private lazy var knownLog = Result { try PostgresLog(connection, state.get(), types, reading, fitter) }
  private lazy var state = Result { try DatabaseState(connection) }
  package let fitter = AffinityFitter()

  package convenience init(_ place: PostgresPlace) throws { try self.init(try PostgresConnection(place)) }

  /// `connection` must not be in a transaction.
  init(_ connection: PostgresConnection) throws {
    self.connection = connection
    types = TypeCatalog(connection)
    reading = ReadingCatalog(connection)
    try connection.begin()
  }

  private init(continuing origin: PostgresOrigin) {
    (connection, types, reading) = (origin.connection, origin.types, origin.reading)
  }

  /// Begins a new transaction and, like pg_dump, locks each table that the plans read, so that no writer truncates
  /// or rewrites the tables during the transaction.
  package func locking(_ plans: [SeriesPlan]) throws -> any Origin {
    let before = try stateIfAllowed()
    let tables = try reading.lockable(relations(readBy: plans))
    do {
      try connection.begin(locking: tables)
    } catch {
      guard error.isInability else { throw error }
      // Locks nothing: perhaps a view's owner has rights to only some columns, or a table was dropped.
      try connection.begin()
    }
    let locked = PostgresOrigin(continuing: self)
    // Another session may have changed views or partitions before the locks were taken.
    let isSame = try locked.stateIfAllowed().map { $0.hasRelations(of: before) } ?? false
    if !isSame { locked.reading = ReadingCatalog(connection) }
    return locked
  }

  /// Omits SELECTs that have an error, because the error is reported when their rows are read.
  private func relations(readBy plans: [SeriesPlan]) throws -> Set<ReadRelation> {
    var found: Set<ReadRelation> = []
    for plan in plans {
      for table in plan.schema.tables {
        do {
          found.formUnion(try relations(readBy: table, plan.projection(table)))
        } catch {
          guard let failure = error as? any OriginFailure, !failure.isUnavailable else { throw error }
        }
      }
    }
    return found
  }

  private func relations(readBy table: TableSchema, _ projection: Projection) throws -> [ReadRelation] {
    let name = "\(quoted(connection.place.schema)).\(quoted(table.name))"
    if projection.sql == nil, let plain = try reading.plainTable(name) { return [plain] }
    let found = try PostgresProjection(table, projection, connection, types)
    return try found.blaming { try reading.relations(readBy: found) }
  }

  package func source(
    of table: TableSchema, _ projection: Projection, isOrdered: Bool
  ) throws -> any RowSource {
    let projection = try PostgresProjection(table, projection, connection, types)
    return CopyRows(connection, projection, isOrdered: isOrdered)
  }

  package func rowsWithoutKey(_ table: TableSchema, _ projection: Projection) throws -> Int {
    let projection = try PostgresProjection(table, projection, connection, types)
    let count = try projection.blaming {
      try connection.rows(projection.rights)
      return try connection.rows(projection.countWithoutKey)
    }
    return count.first?[0].flatMap { Int($0) } ?? 0
  }

  package func drift(_: TableSchema, _: Projection, _: TypeGuard) throws -> [String] { [] }

  package func outline() throws -> OriginOutline { try OriginOutline(SchemaCatalog(connection)) }

  package func log() throws -> (any OriginLog)? { try knownLog.get() }

  package func place() throws -> OriginCursor? { try stateIfAllowed().map { OriginCursor($0.json) } }

  package func relation(to place: OriginCursor) throws -> OriginRelation {
    guard let state = try stateIfAllowed(), let older = DatabaseState(place.json) else { return .follows }
    if state.isBehind(older, replayedBefore: connection.replayedBefore) {
      return .behind(standby: connection.server.name)
    }
    let doubt = state.doubt(since: older)
    return doubt.flatMap { [.otherDatabase, .otherTimeline].contains($0) ? .other($0) : nil } ?? .follows
  }

  /// Returns nil if the state is unavailable to this user or from this server. Throws other errors, which may be
  /// temporary. Without the state, a standby that is behind would not be detected.
  private func stateIfAllowed() throws -> DatabaseState? {
    do { return try state.get() } catch let error as PostgresError where error.isInability { return nil }
  }

  package func volatileTables(_ plan: SeriesPlan) throws -> [String: String] {
    try plan.schema.tables.reduce(into: [:]) { volatile, table in
      volatile[table.name] = try volatility(of: table, plan.projection(table))
    }
  }

  private func volatility(of table: TableSchema, _ projection: Projection) throws -> String? {
    let found = try? PostgresProjection(table, projection, connection, types)
    guard let found, let relations = try? reading.relations(readBy: found) else { return "it cannot be read" }
    // A plain table has neither a SELECT nor row-level security.
    if try reading.plainTable(found.source) != nil { return nil }
    return try connection.volatility(of: projection.sql, reading: Set(relations))
  }
}

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

  /// If `waitSeconds` is 0, the connection timeout is short. The place sets the timeout for locks.
  package func open(waitSeconds: Int) throws -> any Origin {
    var place = self
    if waitSeconds == 0 { place.connectSeconds = Self.shortConnectSeconds }
    return try PostgresOrigin(place)
  }

  private static let shortConnectSeconds = 2
}

/// Identifies a server's finished transactions, with two small queries. If two stamps are equal, no row has changed.
/// A write to another database of the server also changes the stamp, which costs a comparison that finds nothing.
private struct PostgresStamp: OriginStamp {
  private let place: PostgresPlace
  private let takenAt = UTCTime.now().secondsSinceEpoch
  let text: String
  let lagSeconds: Int?
  let server: OriginServer?

  /// The start distinguishes the server from its copies and from a restored server. The user is included,
  /// because the visible rows depend on the user.
  ///
  /// A standby's snapshot omits transactions in progress, so its replay position counts too. The position is read
  /// first, in a separate statement, so that data replayed in between is at worst read twice.
  private static func query(_ start: String) -> String {
    """
    SELECT \(start), current_user, (SELECT oid FROM pg_database WHERE datname = current_database()), \
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END
    """
  }

  private static let snapshotQuery = """
    SELECT pg_current_snapshot(), pg_is_in_recovery(), host(inet_server_addr()), \(ReplayLag.query)
    """

  init(_ connection: PostgresConnection) throws {
    place = connection.place
    let server = try connection.rows(Self.query(connection.quickStart))
    let row = try connection.rows(Self.snapshotQuery).first ?? Array(repeating: nil, count: 6)
    let isStandby = row[1] == "t"
    self.server = connection.answeringServer(at: row[2], isStandby: isStandby)
    lagSeconds = isStandby ? ReplayLag.seconds(Array(row[3...])) : nil
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
