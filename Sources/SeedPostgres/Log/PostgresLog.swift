import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedTrust

/// A log that triggers write; see ``PostgresLogDraft``. An entry is new if its transaction was unfinished in the last
/// step's snapshot. Neither the numbers nor the times of transactions follow the commit order.
final class PostgresLog: OriginLog {
  let connection: PostgresConnection
  private let types: TypeCatalog
  private let reading: ReadingCatalog
  let fitter: AffinityFitter
  let names: LogNames
  let state: DatabaseState
  let watched: [WatchedTable]
  let gaps: [String]
  /// Projections limited to the reported keys, by client table.
  private var narrowed: [String: PostgresProjection] = [:]

  /// Returns nil if the database has no log.
  init?(
    _ connection: PostgresConnection, _ state: @autoclosure () throws -> DatabaseState?,
    _ types: TypeCatalog, _ reading: ReadingCatalog, _ fitter: AffinityFitter
  ) throws {
    names = LogNames(of: connection.place.schema)
    guard let catalog = try PostgresLogCatalog(names, connection), let state = try state() else { return nil }
    (self.connection, self.types, self.reading, self.fitter) = (connection, types, reading, fitter)
    (self.state, watched, gaps) = (state, catalog.watched, catalog.gaps)
  }

  func cursor() throws -> OriginCursor {
    let witnesses = try self.witnesses()
    let marks = watched.map { table in
      JSONMember("\(table.number)", LogMark(table, witness: witnesses[table.number]).json)
    }
    return OriginCursor(.object((state.json.members ?? []) + [JSONMember("logs", .object(marks))]))
  }

  /// Returns each log's newest entry that is not in the future (``isPast``), or else its newest entry.
  private func witnesses() throws(PostgresError) -> [Int: LogMark.Witness] {
    guard !watched.isEmpty else { return [:] }
    let queries = watched.flatMap { table in
      [isPast, ""].enumerated().map { rank, condition in
        "(SELECT \(table.number), xid, at, \(rank) FROM \(names.log(table.number)) \(condition) ORDER BY xid DESC LIMIT 1)"
      }
    }
    let rows = try connection.rows("\(queries.joined(separator: " UNION ALL ")) ORDER BY 4 DESC")
    return rows.reduce(into: [:]) { witnesses, row in
      guard let number = row[0].flatMap({ Int($0) }), let transaction = row[1].flatMap({ UInt64($0) }) else {
        return
      }
      witnesses[number] = LogMark.Witness(transaction: transaction, time: row[2] ?? "")
    }
  }

  /// Excludes entries restored from another cluster's dump if their transaction numbers are too high for this cluster.
  private var isPast: String { "WHERE xid < '\(state.ceiling)'::xid8" }

  /// New relations count as changes, because they may replace relations that are read, or inherit from them.
  func isUntouched(since cursor: OriginCursor) throws -> Bool {
    guard case .known(let older, let marks) = try standing(since: cursor),
      older.relations == state.relations, cursor.json["logs"]?.members?.count == watched.count,
      watched.allSatisfy({ marks[$0.number]?.files == $0.files })
    else { return false }
    return try numbersOfWritten(LogEntries(since: older.snapshot, isPast: isPast)).isEmpty
  }

  func touched(since cursor: OriginCursor, _ plan: SeriesPlan) throws -> LogAnswer {
    switch try standing(since: cursor) {
    case .doubtful(let doubt): return .doubt(doubt)
    case .known(let older, let marks): return .tables(try touched(since: older.snapshot, marks, plan))
    }
  }

  private enum Standing {
    case doubtful(LogDoubt)
    case known(DatabaseState, marks: [Int: LogMark])
  }

  private func standing(since cursor: OriginCursor) throws(PostgresError) -> Standing {
    guard let older = DatabaseState(cursor.json) else { return .doubtful(.otherDatabase) }
    if let doubt = state.doubt(since: older) { return .doubtful(doubt) }
    var marks: [Int: LogMark] = [:]
    for table in watched {
      guard let mark = LogMark(cursor.json["logs"]?["\(table.number)"]) else {
        return .doubtful(.otherTriggers)
      }
      if let doubt = mark.doubt(of: table, since: older.snapshot) { return .doubtful(doubt) }
      marks[table.number] = mark
    }
    if let doubt = try doubt(of: marks) { return .doubtful(doubt) }
    return .known(older, marks: marks)
  }

  /// Verifies that the entries that were newest at the last step still exist.
  private func doubt(of marks: [Int: LogMark]) throws(PostgresError) -> LogDoubt? {
    let witnesses = watched.compactMap { table in marks[table.number]?.witness.map { (table, $0) } }
    // An empty log proves nothing, because entries may have been deleted by hand.
    guard witnesses.count == watched.count else { return .edited }
    guard !witnesses.isEmpty else { return nil }
    let queries = witnesses.map { table, witness in
      "SELECT \(table.number) WHERE EXISTS (SELECT FROM \(names.log(table.number)) "
        + "WHERE xid = '\(witness.transaction)'::xid8 AND at = \(witness.time.literal)::timestamptz)"
    }
    let rows = try connection.rows(queries.joined(separator: " UNION ALL "))
    let found = Set(rows.compactMap { $0[0].flatMap { Int($0) } })
    guard let (table, witness) = witnesses.first(where: { !found.contains($0.0.number) }) else { return nil }
    return table.pruned > witness.transaction ? .pruned : .edited
  }

  private func touched(
    since snapshot: LogSnapshot, _ marks: [Int: LogMark], _ plan: SeriesPlan
  ) throws -> [String: Touched] {
    let entries = LogEntries(since: snapshot, isPast: isPast)
    let rewritten = watched.filter { marks[$0.number]?.files != $0.files }
    let written = try numbersOfWritten(entries).union(rewritten.map(\.number))
    return try plan.schema.tables.reduce(into: [:]) { touched, table in
      let projection = try PostgresProjection(table, plan.projection(table), connection, types)
      guard let sources = try sources(of: projection) else {
        touched[table.name] = .all
        return
      }
      guard sources.contains(where: { written.contains($0.number) }) else {
        touched[table.name] = .nothing
        return
      }
      let isWhole =
        plan.projection(table).sql != nil || sources.count > 1
        || sources.contains { source in rewritten.contains { $0.number == source.number } }
      touched[table.name] = isWhole ? .all : try keys(of: table, sources[0], projection, entries)
    }
  }

  private func numbersOfWritten(_ entries: LogEntries) throws(PostgresError) -> Set<Int> {
    guard !watched.isEmpty else { return [] }
    let queries = watched.map {
      "SELECT \($0.number) WHERE EXISTS (SELECT FROM \(names.log($0.number)) \(entries.condition))"
    }
    let rows = try connection.rows(queries.joined(separator: " UNION ALL "))
    return Set(rows.compactMap { $0[0].flatMap { Int($0) } })
  }

  /// Returns the logs of all tables that a projection reads; nil if a table has no log.
  private func sources(of projection: PostgresProjection) throws(PostgresError) -> [WatchedTable]? {
    let relations = try reading.relations(readBy: projection).filter { !$0.isView }
    let sources = relations.map { relation in watched.first { $0.members.contains(relation.oid) } }
    guard !sources.contains(where: { $0 == nil }), !relations.isEmpty else { return nil }
    return sources.compactMap(\.self).reduce(into: []) { unique, source in
      if !unique.contains(where: { $0.number == source.number }) { unique.append(source) }
    }
  }

  /// Returns the changed keys, or `.all` if the client's keys or their order may differ from the origin's.
  private func keys(
    of table: TableSchema, _ source: WatchedTable, _ projection: PostgresProjection, _ entries: LogEntries
  ) throws -> Touched {
    let keys = source.table.keys
    // The projection may read a view, whose rows may differ from those of the logged table.
    guard source.table.sql == projection.source, source.hasIndex,
      Set(table.key.map { projection.names[$0] }) == Set(keys.map(\.name)),
      table.keyCollations.allSatisfy({ $0 == .binary }),
      table.key.allSatisfy({ projection.columns[$0].keepsOrder(in: table.columns[$0]) })
    else { return .all }
    let list = entries.keys(of: keys, in: names.log(source.number))
    guard let found = try self.keys(in: list, table.key.map { projection.columns[$0] }, of: table) else {
      return .all
    }
    narrowed[table.name] = projection.narrowed(
      to: entries.rows(of: projection.source, projection.names, keys, in: names.log(source.number)))
    return .keys(found)
  }

  func rows(_ table: TableSchema, keys: [[SeedValue]]) throws -> ProjectedRows {
    guard let projection = narrowed[table.name] else { preconditionFailure("\(table.name) has no keys") }
    return ProjectedRows(CopyRows(connection, projection, isOrdered: true), table, fitter, isOrdered: true)
  }
}
