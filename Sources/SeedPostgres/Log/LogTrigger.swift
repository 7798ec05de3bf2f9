import SeedDatabase

/// A trigger that logs one kind of statement on a table.
///
/// Statement triggers never join their transition tables. A session caches a trigger's plan, and a plan made for
/// small statements would take hours on a large one.
struct LogTrigger: Hashable {
  enum Event: String {
    case insert, update, delete, truncate
    /// Each row of an insert, update or delete.
    case row

    /// Names of the transition tables; empty if the event has no such table.
    var old: String { self == .update || self == .delete ? "seedbank_old" : "" }
    var new: String { self == .update || self == .insert ? "seedbank_new" : "" }
    fileprivate var rows: [String] { [old, new].filter { !$0.isEmpty } }
  }

  let event: Event
  let body: String

  /// The value of pg_trigger.tgtype: row or statement level, and the events. All triggers are AFTER.
  var type: Int {
    switch event {
    case .insert: 4
    case .delete: 8
    case .update: 16
    case .truncate: 32
    case .row: 1 + 4 + 8 + 16
    }
  }

  static func all(for table: LoggedTable, in log: String) -> [LogTrigger] {
    let writer = Writer(table: table, log: log)
    let truncate = LogTrigger(event: .truncate, body: "BEGIN \(writer.wholeTable); RETURN NULL; END")
    guard table.noting == .statement else { return [writer.row, truncate] }
    return [.insert, .update, .delete].map(writer.statement) + [truncate]
  }

  func statements(for table: LoggedTable, _ number: Int, _ names: LogNames) -> [String] {
    let (function, trigger) = (names.function(event, number), names.trigger(event))
    let references = event.rows.map { "\($0 == event.old ? "OLD" : "NEW") TABLE AS \($0)" }
    let clause = references.isEmpty ? "" : "REFERENCING \(references.joined(separator: " ")) "
    let moment = event == .row ? "INSERT OR UPDATE OR DELETE" : event.rawValue.uppercased()
    return [
      // With SECURITY DEFINER, writers need no rights on the log. The search path prevents shadowed names.
      "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
        + "SET search_path = pg_catalog, pg_temp AS \(body.literal)",
      "CREATE TRIGGER \(trigger) AFTER \(moment) ON \(table.sql) \(clause)"
        + "FOR EACH \(event == .row ? "ROW" : "STATEMENT") EXECUTE FUNCTION \(function)()",
      // Replication and restored dumps write with ordinary triggers disabled.
      "ALTER TABLE \(table.sql) ENABLE ALWAYS TRIGGER \(trigger)",
    ]
  }
}

private struct Writer {
  let table: LoggedTable
  let log: String

  /// An entry without a key covers the whole table.
  var wholeTable: String { "INSERT INTO \(log) DEFAULT VALUES" }

  private var columns: String { table.keys.indices.map { "k\($0)" }.joined(separator: ", ") }

  private func values(of row: String) -> String {
    table.keys.map { $0.value(of: row) }.joined(separator: ", ")
  }

  func statement(_ event: LogTrigger.Event) -> LogTrigger {
    guard !table.keys.isEmpty else {
      return LogTrigger(
        event: event,
        body: "BEGIN IF EXISTS (SELECT FROM \(event.rows[0])) THEN \(wholeTable); END IF; RETURN NULL; END")
    }
    let rows = event.rows.map { "SELECT \(values(of: $0)) FROM \($0)" }
    return LogTrigger(
      event: event,
      body: "BEGIN INSERT INTO \(log) (\(columns)) \(rows.joined(separator: " UNION ")); RETURN NULL; END")
  }

  var row: LogTrigger {
    guard !table.keys.isEmpty else {
      let isNoted = "EXISTS (SELECT FROM \(log) WHERE xid = pg_current_xact_id())"
      return LogTrigger(
        event: .row, body: "BEGIN IF NOT \(isNoted) THEN \(wholeTable); END IF; RETURN NULL; END")
    }
    func insert(_ row: String) -> String { "INSERT INTO \(log) (\(columns)) VALUES (\(values(of: row)))" }
    return LogTrigger(
      event: .row,
      body: "BEGIN IF TG_OP <> 'INSERT' THEN \(insert("OLD")); END IF; "
        + "IF TG_OP = 'INSERT' THEN \(insert("NEW")); "
        + "ELSIF TG_OP = 'UPDATE' THEN IF ROW(\(values(of: "OLD"))) IS DISTINCT FROM ROW(\(values(of: "NEW"))) "
        + "THEN \(insert("NEW")); END IF; END IF; RETURN NULL; END")
  }
}
