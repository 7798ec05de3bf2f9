import CPostgres
import SeedDatabase
import SeedPublication
import SeedSystem

/// A session that reads one state of a database, and the sole owner of its libpq connection.
final class PostgresConnection {
  private let raw: OpaquePointer
  let place: PostgresPlace
  private var lent: UnsafeMutablePointer<CChar>?
  private var isCopying = false
  /// The server that answered. Its role is `primary` until `begin` has queried the role.
  private(set) var server: OriginServer
  /// A standby's replay position before the snapshot; nil on a primary.
  private(set) var replayedBefore: UInt64?

  /// The oldest major version whose snapshots can be compared.
  static let oldestMajor = 13

  init(_ place: PostgresPlace) throws(PostgresError) {
    self.place = place
    raw = try Self.connected(place)
    server = OriginServer(name: text(PQhost(raw)), role: .primary)
    // Ignores notices, which libpq prints by default.
    _ = PQsetNoticeProcessor(raw, { _, _ in }, nil)
    let version = Int(PQserverVersion(raw)) / 10_000
    guard version >= Self.oldestMajor else {
      throw .configuration(
        "the origin \(place.text) is PostgreSQL \(version): expected \(Self.oldestMajor) or newer; publish from a newer"
          + " server")
    }
    let encoding = text(PQparameterStatus(raw, "server_encoding"))
    guard encoding != "SQL_ASCII" else {
      throw .configuration(
        "the origin \(place.text) is a database with the encoding \(encoding), which allows any bytes as text: publish from a"
          + " database with UTF8, such as a copy by 'pg_dump' and 'createdb --encoding UTF8 --template template0'"
      )
    }
  }

  deinit {
    PQfreemem(lent)
    PQfinish(raw)
  }

  var user: String { text(PQuser(raw)) }

  /// Returns the host that answered, with its address if the two differ.
  func answeringServer(at address: String?, isStandby: Bool) -> OriginServer {
    let host = text(PQhost(raw))
    let name = address.map { $0 == host ? host : "\(host) (\($0))" } ?? host
    return OriginServer(name: name, role: isStandby ? .standby : .primary)
  }

  // MARK: Statements

  /// Ends any earlier transaction, begins a new one, locks the tables, and takes the snapshot. Sets everything that
  /// affects the form of values.
  func begin(locking tables: [ReadRelation] = []) throws(PostgresError) {
    let settings = [
      "timezone TO 'UTC'", "datestyle TO 'ISO'", "intervalstyle TO 'iso_8601'", "bytea_output TO 'hex'",
      "extra_float_digits TO 3", "xmlbinary TO 'base64'", "search_path TO \(quoted(place.schema)), pg_temp",
      "statement_timeout TO '\(place.statementTimeoutSeconds)s'",
      "lock_timeout TO '\(place.lockTimeoutSeconds)s'", "idle_in_transaction_session_timeout TO 0",
      // With "off", the server rejects a query if row security would hide rows from it.
      "row_security TO \(place.appliesRowSecurity ? "on" : "off")",
    ]
    if PQtransactionStatus(raw) != PQTRANS_IDLE { _ = PostgresResult(PQexec(raw, "ROLLBACK")) }
    let replayed = try rows("SELECT pg_last_wal_replay_lsn() - pg_lsn '0/0' WHERE pg_is_in_recovery()")
    replayedBefore = replayed.first?[0].flatMap { UInt64($0) }
    // SET LOCAL, because a pooler gives the session to other users.
    let beginning = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + settings.map { "SET LOCAL \($0)" }
    // LOCK takes no snapshot. It comes before the savepoint, so that releaseLocks() keeps these locks.
    let locks = tables.map { "LOCK TABLE \($0.sql) IN ACCESS SHARE MODE" }
    let locked = Dictionary(uniqueKeysWithValues: zip(beginning.count..., tables))
    try run(beginning + locks + ["SAVEPOINT seedbank"], locking: locked)
    let found = try rows(
      "SELECT pg_is_in_recovery(), host(inet_server_addr()) FROM pg_namespace WHERE nspname = $1",
      [place.schema])
    guard let standing = found.first else {
      throw .configuration(
        "the origin \(place.shownURL) has no schema \"\(place.schema)\": correct origin.schema or --schema")
    }
    server = answeringServer(at: standing[1], isStandby: standing[0] == "t")
  }

  /// Sends all statements at once. For errors, `tables` maps a statement's position to the table that it locks.
  private func run(_ statements: [String], locking tables: [Int: ReadRelation]) throws(PostgresError) {
    _ = PQsendQuery(raw, statements.joined(separator: "; "))
    var answers: [PostgresResult] = []
    while let answer = PQgetResult(raw) { answers.append(PostgresResult(answer)) }
    let last = answers.last ?? PostgresResult(nil)
    guard !last.isGood else { return }
    let error = failure(last)
    guard case .server(let place, let subject, let message) = error, let table = tables[answers.count - 1]
    else { throw error }
    throw .server(place: place, subject: "\(subject), table \"\(table.name)\"", message)
  }

  /// Runs a statement and returns its rows as strings. Cancels an unfinished COPY first.
  @discardableResult
  func rows(_ sql: String, _ values: [String] = []) throws(PostgresError) -> [[String?]] {
    try giveUpCopy()
    let answer = withCStrings(values) { PQexecParams(raw, sql, Int32(values.count), nil, $0, nil, nil, 0) }
    return try answered(answer).rows
  }

  /// Returns the result columns of a SELECT without running it.
  func columns(of select: String) throws(PostgresError) -> [(name: String, type: UInt32)] {
    try giveUpCopy()
    _ = try answered(PQprepare(raw, "", select, 0, nil))
    let described = try answered(PQdescribePrepared(raw, ""))
    guard described.parameters == 0 else {
      // Running the SELECT would fail as if the connection were broken.
      let message = ServerMessage(state: "42P02", text: "there is no parameter $1")
      throw .server(place: place, subject: "the origin \(place.text)", message)
    }
    return described.columns
  }

  private func answered(_ answer: OpaquePointer?) throws(PostgresError) -> PostgresResult {
    let result = PostgresResult(answer)
    guard result.isGood else { throw failure(result) }
    return result
  }

  /// Rolls back to the savepoint, which preserves the transaction and its snapshot after an error.
  private func failure(_ result: PostgresResult) -> PostgresError {
    var message = result.message ?? Self.lastMessage(raw)
    message.user = user
    message.isOfStandby = server.role == .standby
    if PQtransactionStatus(raw) == PQTRANS_INERROR { _ = PostgresResult(PQexec(raw, Self.restore)) }
    return .server(place: place, subject: "the origin \(place.text)", message)
  }

  /// A server that ends the session may have sent the reason first.
  private static func lastMessage(_ raw: OpaquePointer) -> ServerMessage {
    let all = lines(PQerrorMessage(raw))
    guard let found = ServerMessage(verbose: all), found.state == "40001" else {
      return ServerMessage(state: "", text: all)
    }
    return found
  }

  private static let restore = "ROLLBACK TO SAVEPOINT seedbank"

  /// Releases the transaction's locks but keeps its snapshot.
  func releaseLocks() throws(PostgresError) { try rows(Self.restore) }

  /// SQL for the server's last start, including one after the crash of a single session: then the server keeps its
  /// time of start but loses its statistics.
  static let serverStart =
    "concat_ws('/', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())"

  /// The start for frequent looks. Before PostgreSQL 15, reading statistics takes 10 ms or more.
  var quickStart: String {
    PQserverVersion(raw) < 150_000 ? "pg_postmaster_start_time()::text" : Self.serverStart
  }

  /// Throws if a table that was read was truncated, rewritten or created after the snapshot, because the read may have
  /// found it empty. A new file or no visible table shows this, except for a new index, and for a new partition, which
  /// is empty in the snapshot. Partitions are read as they are now, so it also throws if the catalog in the snapshot has
  /// a partition that has left its table, or does not have one yet. Since PostgreSQL 14, an interrupted DETACH
  /// CONCURRENTLY leaves a pending partition, which no query reads. None of these can happen later, because tables
  /// that were read stay locked.
  func proveNothingRewritten() throws(PostgresError) {
    let found = try rows(
      """
      SELECT l.relation::regclass FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation \
      LEFT JOIN pg_class root ON root.oid = pg_partition_root(l.relation) \
      WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.database IN \
      (SELECT oid FROM pg_database WHERE datname = current_database()) \
      AND CASE WHEN c.oid IS NULL THEN pg_get_indexdef(l.relation) IS NULL AND root.oid IS NULL \
      ELSE c.relfilenode <> 0 AND c.relfilenode IS DISTINCT FROM pg_relation_filenode(c.oid) AND c.relkind IN ('r', 'm') \
      OR c.relkind <> 'i' AND NOT c.relispartition AND root.oid <> c.oid \
      OR c.relkind = 'p' AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid \
      AND pg_partition_root(i.inhrelid) IS DISTINCT FROM root.oid \
      AND to_jsonb(i) ->> 'inhdetachpending' IS DISTINCT FROM 'true') END
      """)
    let tables = found.compactMap { $0.first ?? nil }
    guard tables.isEmpty else { throw .rewritten(place: place.text, tables: tables) }
  }

  /// Throws if an enum's label was renamed after the snapshot, because the server writes all values with the newest
  /// labels. `enum_in` accepts only the newest labels, but pg_enum lists the snapshot's. No lock prevents renaming.
  func proveNoLabelRenamed() throws(PostgresError) {
    do throws(PostgresError) {
      try rows("SELECT FROM pg_enum WHERE enum_in(enumlabel::text::cstring, enumtypid) IS NULL")
    } catch {
      guard case .server(_, _, let message) = error, message.isOfValue else { throw error }
      throw .relabeled(place: place.text, message.text)
    }
  }

  // MARK: COPY

  func startCopy(_ sql: String) throws(PostgresError) {
    try giveUpCopy()
    _ = try answered(PQexec(raw, sql))
    isCopying = true
  }

  /// Returns the next COPY message, valid until the next call; nil at the end, after the server has confirmed success.
  func nextCopied() throws(PostgresError) -> UnsafeRawBufferPointer? {
    PQfreemem(lent)
    lent = nil
    let count = PQgetCopyData(raw, &lent, 0)
    if count > 0 { return UnsafeRawBufferPointer(start: lent, count: Int(count)) }
    isCopying = false
    let result = PostgresResult(PQgetResult(raw))
    // The server accepts the next statement only after all results have been read.
    drain()
    guard result.isGood else { throw failure(result) }
    return nil
  }

  private func drain() {
    while let result = PQgetResult(raw) { PQclear(result) }
  }

  private func giveUpCopy() throws(PostgresError) {
    guard isCopying else { return }
    isCopying = false
    PQfreemem(lent)
    lent = nil
    cancel()
    while PQgetCopyData(raw, &lent, 0) > 0 { PQfreemem(lent) }
    lent = nil
    drain()
    // Rolls back again, because a late cancellation may hit the first rollback.
    if !PostgresResult(PQexec(raw, Self.restore)).isGood { _ = try answered(PQexec(raw, Self.restore)) }
  }

  private func cancel() {
    guard let order = PQgetCancel(raw) else { return }
    var complaint = [CChar](repeating: 0, count: 256)
    _ = PQcancel(order, &complaint, Int32(complaint.count))
    PQfreeCancel(order)
  }

  // MARK: Connecting

  private static func connected(_ place: PostgresPlace) throws(PostgresError) -> OpaquePointer {
    let parameters = place.parameters
    let started = withCStrings(parameters.map(\.key)) { keys in
      withCStrings(parameters.map(\.value)) { values in PQconnectStartParams(keys, values, 1) }
    }
    guard let raw = started else {
      throw unreachable(place, ServerMessage(state: "", text: "out of memory"))
    }
    // Makes libpq put the SQLSTATE into the error text. For a failed connection, libpq reports it nowhere else.
    _ = PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
    if !finishes(raw, in: place.hasSeveralHosts ? place.hostSeconds : place.connectSeconds),
      PQstatus(raw) != CONNECTION_BAD, place.hasSeveralHosts
    {
      // A host that accepts the connection but does not respond has used up the time for all hosts. Only PQreset gives
      // each host its time again.
      PQreset(raw)
    }
    guard PQstatus(raw) == CONNECTION_OK else {
      defer { PQfinish(raw) }
      throw unreachable(place, message(raw, hiding: place))
    }
    return raw
  }

  private static func unreachable(_ place: PostgresPlace, _ message: ServerMessage) -> PostgresError {
    var message = message
    message.isOfConnection = true
    return .server(place: place, subject: "the origin \(place.text) cannot be reached", message)
  }

  /// Polls until the session is established. Returns false on failure or timeout.
  private static func finishes(_ raw: OpaquePointer, in seconds: Int) -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    var state = PQstatus(raw) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    while [PGRES_POLLING_WRITING, PGRES_POLLING_READING].contains(state), ContinuousClock.now < end {
      let event = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
      var place = pollfd(fd: PQsocket(raw), events: Int16(event), revents: 0)
      let count = poll(&place, 1, 1000)
      if count < 0, errno != EINTR { return false }
      if count > 0 { state = PQconnectPoll(raw) }
    }
    return state == PGRES_POLLING_OK
  }

  private static func message(_ raw: OpaquePointer, hiding place: PostgresPlace) -> ServerMessage {
    let all = lines(PQerrorMessage(raw))
    // After a timeout, libpq's message is empty or an unfinished sentence.
    guard !all.isEmpty, !all.hasSuffix(": ") else {
      return ServerMessage(state: "", text: "\(all)no answer in \(place.connectSeconds) seconds")
    }
    return ServerMessage(verbose: all)
      ?? ServerMessage(state: "", text: all.replacing(place.url, with: place.shownURL))
  }
}

private final class PostgresResult {
  private let raw: OpaquePointer?

  init(_ raw: OpaquePointer?) { self.raw = raw }

  deinit { PQclear(raw) }

  var isGood: Bool { [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_OUT].contains(PQresultStatus(raw)) }

  /// Nil if the error comes from libpq and not from the server.
  var message: ServerMessage? {
    let state = field(seedbank_pq_sqlstate)
    guard !state.isEmpty else { return nil }
    return ServerMessage(
      state: state, text: line(seedbank_pq_message), detail: line(seedbank_pq_detail),
      position: Int(field(seedbank_pq_position)), function: field(seedbank_pq_function))
  }

  private func field(_ code: Int32) -> String { text(PQresultErrorField(raw, code)) }

  private func line(_ code: Int32) -> String { lines(PQresultErrorField(raw, code)) }

  var rows: [[String?]] {
    (0..<PQntuples(raw)).map { row in
      (0..<PQnfields(raw)).map { PQgetisnull(raw, row, $0) == 1 ? nil : text(PQgetvalue(raw, row, $0)) }
    }
  }

  var parameters: Int { Int(PQnparams(raw)) }

  var columns: [(name: String, type: UInt32)] {
    (0..<PQnfields(raw)).map { (text(PQfname(raw, $0)), PQftype(raw, $0)) }
  }
}

private func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }

private func lines(_ string: UnsafePointer<CChar>?) -> String {
  text(string).split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
}

/// Calls `body` with a null-terminated C array of C strings, which is valid only during the call.
private func withCStrings<Result>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
  let copies = texts.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}

/// Returns an empty array if libpq cannot parse the URL.
private func options(inURL url: String) -> [(key: String, value: String)] {
  guard let parsed = PQconninfoParse(url, nil) else { return [] }
  defer { PQconninfoFree(parsed) }
  return sequence(first: parsed) { $0 + 1 }.prefix { $0.pointee.keyword != nil }
    .map { (text($0.pointee.keyword), text($0.pointee.val)) }
}

package struct PostgresPlace: Sendable, Hashable {
  /// The URL for libpq. It may contain a password, so messages never include it.
  let url: String
  /// The URL for messages, without user and password.
  let shownURL: String
  package let schema: String
  /// Seconds for one statement, including COPY of a whole table.
  package var statementTimeoutSeconds = 600
  /// Seconds to wait for a lock, such as that of an ALTER TABLE.
  package var lockTimeoutSeconds = 5
  /// Whether to publish only the rows that row-level security shows to this user.
  package var appliesRowSecurity = false
  /// Seconds to establish a session with a single host.
  var connectSeconds = 30
  /// Seconds to establish a session with one of several hosts, unless the URL sets `connect_timeout`.
  var hostSeconds: Int { min(connectSeconds, 10) }
  var hasSeveralHosts: Bool {
    options(inURL: url).contains { ["host", "hostaddr"].contains($0.key) && $0.value.contains(",") }
  }
  package var application = "seedbank"
  /// The environment variable that messages suggest for a URL with a password.
  package var variable: String?

  package init(url: String, shownURL: String, schema: String) {
    (self.url, self.shownURL, self.schema) = (url, shownURL, schema)
  }

  /// A description for messages, unique for each place.
  package var text: String { schema == "public" ? shownURL : "\(shownURL), schema \"\(schema)\"" }

  /// Parameters for libpq. The URL can override those before `dbname`.
  var parameters: [(key: String, value: String)] {
    [
      ("keepalives_idle", "\(Self.keepaliveSeconds)"), ("keepalives_interval", "\(Self.keepaliveSeconds)"),
      ("keepalives_count", "3"), ("connect_timeout", "\(hostSeconds)"),
      ("tcp_user_timeout", "\(Self.silenceMilliseconds)"), ("dbname", url),
      ("client_encoding", "UTF8"), ("application_name", application),
    ]
  }

  private static let keepaliveSeconds = 30
  /// Milliseconds for which data or a connection attempt may stay unacknowledged.
  private static let silenceMilliseconds = 10_000
}
