import CPostgres
import SeedDatabase
import SeedServer
import SeedSystem

/// One session, which reads one state of a database: the only owner of libpq's connection.
final class PostgresConnection {
  private let raw: OpaquePointer
  let place: PostgresPlace
  /// The message of COPY that was lent last; `nil` where there is none.
  private var lent: UnsafeMutablePointer<CChar>?
  private var isCopying = false
  /// Which one answered; a primary until the state is taken.
  private(set) var server: OriginServer
  /// How far a standby had come before the state was taken; `nil` on a primary.
  private(set) var replayedBefore: String?

  /// The oldest major version whose snapshots can be told from one another.
  static let oldestMajor = 13

  /// Connects; begins nothing yet.
  init(_ place: PostgresPlace) throws(PostgresError) {
    self.place = place
    raw = try Self.connected(place)
    server = OriginServer(name: text(PQhost(raw)), role: .primary)
    _ = PQsetNoticeProcessor(raw, passOverNotice, nil)
    let version = Int(PQserverVersion(raw)) / 10_000
    guard version >= Self.oldestMajor else { throw .tooOld(place: place.text, version: version) }
    let encoding = status("server_encoding")
    guard encoding != "SQL_ASCII" else { throw .encoding(place: place.text, name: encoding) }
  }

  deinit {
    PQfreemem(lent)
    PQfinish(raw)
  }

  /// Whom the server knows the session as.
  var user: String { text(PQuser(raw)) }

  /// The host that answered, and the address of the server behind it, if that is another one.
  func answeringServer(at address: String?, isStandby: Bool) -> OriginServer {
    let host = text(PQhost(raw))
    let name = address.map { $0 == host ? host : "\(host) (\($0))" } ?? host
    return OriginServer(name: name, role: isStandby ? .standby : .primary)
  }

  private func status(_ name: String) -> String { text(PQparameterStatus(raw, name)) }

  // MARK: Statements

  /// Begins the transaction in which all is read, and takes its state. In it, no setting of the server, the database or
  /// the user changes what a value looks like.
  func begin() throws(PostgresError) {
    let settings = [
      "timezone TO 'UTC'", "datestyle TO 'ISO'", "intervalstyle TO 'iso_8601'", "bytea_output TO 'hex'",
      "extra_float_digits TO 3", "xmlbinary TO 'base64'", "search_path TO \(quoted(place.schema)), pg_temp",
      "statement_timeout TO '\(place.statementTimeoutSeconds)s'",
      "lock_timeout TO '\(place.lockTimeoutSeconds)s'", "idle_in_transaction_session_timeout TO 0",
      // Off, a query from which it would hide rows is refused.
      "row_security TO \(place.appliesRowSecurity ? "on" : "off")",
    ]
    replayedBefore = try rows("SELECT pg_last_wal_replay_lsn() WHERE pg_is_in_recovery()").first?[0]
    // LOCAL: where a pooler lends sessions, the next user of this one has settings of its own.
    try run(
      ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + settings.map { "SET LOCAL \($0)" }
        + ["SAVEPOINT seedbank"])
    let found = try rows(
      "SELECT pg_is_in_recovery(), host(inet_server_addr()) FROM pg_namespace WHERE nspname = $1",
      [place.schema])
    guard let standing = found.first else { throw .noSchema(place: place.text, schema: place.schema) }
    server = answeringServer(at: standing[1], isStandby: standing[0] == "t")
  }

  /// Runs statements without rows, all in one message.
  private func run(_ statements: [String]) throws(PostgresError) {
    _ = try answered(PQexec(raw, statements.joined(separator: "; ")))
  }

  /// Runs one statement and returns its rows as texts. A COPY that goes on is given up first.
  @discardableResult
  func rows(_ sql: String, _ values: [String] = []) throws(PostgresError) -> [[String?]] {
    try giveUpCopy()
    let answer = withCStrings(values) { PQexecParams(raw, sql, Int32(values.count), nil, $0, nil, nil, 0) }
    return try answered(answer).rows
  }

  /// The columns that a SELECT yields, which is not run.
  func columns(of select: String) throws(PostgresError) -> [(name: String, type: UInt32)] {
    try giveUpCopy()
    _ = try answered(PQprepare(raw, "", select, 0, nil))
    return try answered(PQdescribePrepared(raw, "")).columns
  }

  private func answered(_ answer: OpaquePointer?) throws(PostgresError) -> PostgresResult {
    let result = PostgresResult(answer)
    guard result.isGood else { throw failure(result) }
    return result
  }

  /// The savepoint keeps the transaction, and so the state that it reads, alive after an error.
  private func failure(_ result: PostgresResult) -> PostgresError {
    var message = result.message ?? ServerMessage(state: "", text: lines(PQerrorMessage(raw)))
    message.user = user
    message.isOfStandby = server.role == .standby
    if PQtransactionStatus(raw) == PQTRANS_INERROR { _ = PostgresResult(PQexec(raw, Self.restore)) }
    return .server(place: place, subject: "the origin \(place.text)", message)
  }

  private static let restore = "ROLLBACK TO SAVEPOINT seedbank"

  /// Lets go of what the transaction has locked since it began. Its state stays.
  func releaseLocks() throws(PostgresError) { try rows(Self.restore) }

  /// TRUNCATE, and an ALTER TABLE that writes a table anew, are not bound by transactions: who took a state before and reads
  /// the table after finds it empty. Both give it another file, and a table that was read is locked until the end.
  func proveNothingRewritten() throws(PostgresError) {
    let found = try rows(
      """
      SELECT c.oid::regclass FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
      WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.database IN \
      (SELECT oid FROM pg_database WHERE datname = current_database()) \
      AND c.relfilenode <> 0 AND c.relfilenode IS DISTINCT FROM pg_relation_filenode(c.oid) AND c.relkind IN ('r', 'm')
      """)
    let tables = found.compactMap { $0.first ?? nil }
    guard tables.isEmpty else { throw .rewritten(place: place.text, tables: tables) }
  }

  // MARK: COPY

  /// Begins COPY … TO STDOUT.
  func startCopy(_ sql: String) throws(PostgresError) {
    try giveUpCopy()
    _ = try answered(PQexec(raw, sql))
    isCopying = true
  }

  /// The next message of COPY, good until the one after; `nil` behind the last, where the server says that all was sent.
  func nextCopied() throws(PostgresError) -> UnsafeRawBufferPointer? {
    PQfreemem(lent)
    lent = nil
    let count = PQgetCopyData(raw, &lent, 0)
    if count > 0 { return UnsafeRawBufferPointer(start: lent, count: Int(count)) }
    isCopying = false
    let result = PostgresResult(PQgetResult(raw))
    // The server is ready for what comes next only when it has said all.
    drain()
    guard result.isGood else { throw failure(result) }
    return nil
  }

  private func drain() {
    while let result = PQgetResult(raw) { PQclear(result) }
  }

  /// Ends a COPY whose rows nobody wants any more.
  private func giveUpCopy() throws(PostgresError) {
    guard isCopying else { return }
    isCopying = false
    PQfreemem(lent)
    lent = nil
    cancel()
    while PQgetCopyData(raw, &lent, 0) > 0 { PQfreemem(lent) }
    lent = nil
    drain()
    // A cancellation that comes late may hit the first of these.
    if !PostgresResult(PQexec(raw, Self.restore)).isGood { _ = try answered(PQexec(raw, Self.restore)) }
  }

  private func cancel() {
    guard let order = PQgetCancel(raw) else { return }
    var complaint = [CChar](repeating: 0, count: 256)
    _ = PQcancel(order, &complaint, Int32(complaint.count))
    PQfreeCancel(order)
  }
}

extension PostgresConnection {
  // MARK: Connecting

  private static func connected(_ place: PostgresPlace) throws(PostgresError) -> OpaquePointer {
    let parameters = place.parameters
    let started = withCStrings(parameters.map(\.key)) { keys in
      withCStrings(parameters.map(\.value)) { values in PQconnectStartParams(keys, values, 1) }
    }
    guard let raw = started else {
      throw .connection(place: place, ServerMessage(state: "", text: "there is no memory left"))
    }
    // So that an error's number is in its text: libpq has no other way to tell it here.
    _ = PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
    guard finishes(raw, in: place.connectSeconds) else {
      defer { PQfinish(raw) }
      throw .connection(place: place, message(raw, hiding: place))
    }
    return raw
  }

  /// Goes on until the session stands; false where it does not come to that.
  private static func finishes(_ raw: OpaquePointer, in seconds: Int) -> Bool {
    guard PQstatus(raw) != CONNECTION_BAD else { return false }
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    var state = PGRES_POLLING_WRITING
    while state == PGRES_POLLING_WRITING || state == PGRES_POLLING_READING {
      guard waits(PQsocket(raw), for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end) else {
        return false
      }
      state = PQconnectPoll(raw)
    }
    return state == PGRES_POLLING_OK
  }

  private static func waits(_ socket: Int32, for event: Int32, until end: ContinuousClock.Instant) -> Bool {
    while ContinuousClock.now < end {
      var place = pollfd(fd: socket, events: Int16(event), revents: 0)
      let count = poll(&place, 1, 1000)
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
    return false
  }

  /// `…failed: FATAL:  28P01: password authentication failed for user "x"`, and where in the server's source it stands.
  private static func message(_ raw: OpaquePointer, hiding place: PostgresPlace) -> ServerMessage {
    let all = lines(PQerrorMessage(raw))
    // libpq has begun a sentence, and the time is over.
    guard !all.isEmpty, !all.hasSuffix(": ") else {
      return ServerMessage(state: "", text: "\(all)no answer in \(place.connectSeconds) seconds")
    }
    if let found = all.firstMatch(of: /:  ([0-9A-Z]{5}): (.*?)(?: LOCATION: .*)?$/) {
      return ServerMessage(state: String(found.1), text: String(found.2))
    }
    return ServerMessage(state: "", text: all.replacing(place.url, with: place.shownURL))
  }
}

/// Owns an answer.
private final class PostgresResult {
  private let raw: OpaquePointer?

  init(_ raw: OpaquePointer?) { self.raw = raw }

  deinit { PQclear(raw) }

  var isGood: Bool { [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_OUT].contains(PQresultStatus(raw)) }

  /// `nil` where the answer is not the server's.
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

  var columns: [(name: String, type: UInt32)] {
    (0..<PQnfields(raw)).map { (text(PQfname(raw, $0)), PQftype(raw, $0)) }
  }
}

/// Notices are no errors, and libpq would print them.
private func passOverNotice(_: UnsafeMutableRawPointer?, _: UnsafePointer<CChar>?) {}

private func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }

/// On one line.
private func lines(_ string: UnsafePointer<CChar>?) -> String {
  text(string).split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
}

/// A C array of C strings, with nil behind the last; good during `body`.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
  let copies = texts.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}
