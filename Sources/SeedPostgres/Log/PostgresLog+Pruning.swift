import SeedDatabase
import SeedFormat
import SeedPublisher

extension PostgresLog {
  var needsPruning: Bool { true }

  /// The number of entries that one statement removes. It is small, so that no writer waits long.
  private static let batch = 10_000
  /// The maximum number of such statements for each log in one step. The next step continues.
  private static let mostBatches = 100
  /// The minimum age of removed entries, because other publishers may read the same log.
  private static let keptHours = 1
  /// The minimum age if the operator's own schedule removes entries.
  private static let scheduledDays = 7

  func prune(behind cursors: [OriginCursor]) -> LogPruning {
    var reason = "this is a standby"
    do throws(PostgresError) {
      if !state.isStandby { return try remove(bounds(cursors)) ? .done : .unfinished }
    } catch { reason = if case .server(_, _, let message) = error { message.text } else { "\(error)" } }
    return (try? hasOldEntries()) == true ? .impossible(advice(reason)) : .done
  }

  /// Returns each log's first transaction that a publisher needs: one with unread entries, or the newest one read.
  private func bounds(_ cursors: [OriginCursor]) -> [Int: UInt64] {
    let floors = cursors.compactMap { DatabaseState($0.json)?.snapshot.floor }
    guard floors.count == cursors.count, let floor = floors.min() else { return [:] }
    return watched.map(\.number).reduce(into: [:]) { bounds, number in
      let marks = cursors.compactMap { LogMark($0.json["logs"]?["\(number)"]) }
      guard marks.count == cursors.count else { return }
      bounds[number] = min(floor, marks.compactMap { $0.witness?.transaction }.min() ?? floor)
    }
  }

  /// Uses a separate session, because the reading session is READ ONLY. Returns whether no entries are left to remove.
  private func remove(_ bounds: [Int: UInt64]) throws(PostgresError) -> Bool {
    let connection = try PostgresConnection(self.connection.place)
    var isDone = true
    for (number, bound) in bounds.sorted(by: { $0.key < $1.key }) {
      var batches = 0
      while batches < Self.mostBatches, try removeBatch(number, bound, connection) { batches += 1 }
      isDone = isDone && batches < Self.mostBatches
    }
    return isDone
  }

  /// Returns whether there may be more entries. The lock timeout is short, because the step holds the publication's
  /// lock. The timeout is set for one transaction, because a pooler gives the session to other users.
  private func removeBatch(
    _ number: Int, _ bound: UInt64, _ connection: PostgresConnection
  ) throws(PostgresError) -> Bool {
    let rows = try connection.rows(
      "SELECT set_config('lock_timeout', '\(connection.place.lockTimeoutSeconds)s', true), "
        + "\(quoted(names.schema)).prune($1::int, $2::xid8, interval '\(Self.keptHours) hour', $3::int)",
      ["\(number)", "\(bound)", "\(Self.batch)"])
    return rows.first?[1].flatMap { Int($0) } == Self.batch
  }

  private func advice(_ reason: String) -> String {
    "the log of the origin \(connection.place.text) has entries older than \(Self.scheduledDays) days, which cannot be removed "
      + "(\(reason)): run once a day as the log's owner on the primary, for example by cron: SELECT \(quoted(names.schema)).prune(interval '\(Self.scheduledDays) days')"
  }

  /// Whether there are entries that a schedule should have removed a day ago. The newest entry of each log does not
  /// count, because it is never removed.
  private func hasOldEntries() throws(PostgresError) -> Bool {
    for table in watched {
      let log = names.log(table.number)
      let rows = try connection.rows(
        "SELECT FROM \(log) WHERE at < now() - interval '\(Self.scheduledDays + 1) days' "
          + "AND xid < (SELECT xid FROM \(log) ORDER BY xid DESC LIMIT 1) LIMIT 1")
      if !rows.isEmpty { return true }
    }
    return false
  }
}
