import SeedDatabase
import SeedFormat

enum ChangeSearch {
  /// Compares every row. If a log is configured, the doubt is the reason not to use it.
  case comparison(LogDoubt?)
  /// Compares nothing, because the log has no new entries.
  case nothing
  case log(any OriginLog, [String: Touched])
  /// Compares every row and checks that the log named each row that differs.
  case audit([String: Touched])
}

/// Rows of a table that differ although the origin's log did not name them.
struct MissedRows {
  let table: TableSchema
  private let named: Set<[SeedValue]>
  private var keys: [String] = []
  private(set) var count = 0

  private static let namedKeys = 5

  /// Returns `nil` if there is no log, or if the log names the whole table, so that it cannot miss a row.
  init?(_ table: TableSchema, besides expected: Touched?) {
    switch expected {
    case nil, .all: return nil
    case .nothing: named = []
    case .keys(let keys): named = Set(keys)
    }
    self.table = table
  }

  mutating func check(_ row: [BorrowedValue]) {
    let key = table.key.map { row[$0].owned }
    guard !named.contains(key) else { return }
    count += 1
    if keys.count < Self.namedKeys { keys.append(rowDescription(table.keyNames, key)) }
  }

  private var description: String {
    let named = (keys + (keys.count < count ? ["…"] : [])).joined(separator: "; ")
    return "\(count) \(count == 1 ? "row" : "rows") of table \"\(table.name)\" (\(named))"
  }

  static func warning(_ missed: [MissedRows]) -> String {
    "the origin's log missed \(missed.map(\.description).joined(separator: ", ")): they are published now. A writer bypassed "
      + "the triggers. From now on all rows are compared; when the cause is fixed, 'seedbank origin log accept' trusts the "
      + "log again"
  }
}

struct SeriesDiff: ~Copyable {
  private(set) var delta: DeltaWriter
  private(set) var after: [String: TableSum] = [:]
  private(set) var missed: [MissedRows] = []
  private(set) var shrunk: [ShrunkTable] = []
  /// The number of rows that differ only in columns that the new minor adds.
  private(set) var filled = 0
  /// The decrease in the number of rows with a value, by table and column.
  private var losses: [String: [Int]] = [:]
  private let source: SeriesChange.Source
  private let copy: WorkingCopy
  private let types: TypeGuard?

  /// The maximum number of different sets of changed columns per table of a delta. A client keeps all sets in memory.
  /// Rows with further sets are sent whole.
  static let mostSets = 4096

  init(_ source: SeriesChange.Source, _ copy: WorkingCopy, _ types: TypeGuard?) throws {
    (self.source, self.copy, self.types) = (source, copy, types)
    delta = DeltaWriter(spill: SpillFile(in: source.spillFolder))
    do {
      let before = try copy.sums()
      for table in source.plan.schema.tables {
        guard let stored = before[table.name] else {
          throw CopyDamaged(table: table.name, reason: "it has no sum")
        }
        after[table.name] = try sum(of: table, after: stored)
      }
      shrunk = try source.shrinkGuard.map { try shrunk(since: before, $0) } ?? []
    } catch let error as DatabaseError {
      // The origin's errors are OriginFailures, so a DatabaseError comes from the copy.
      throw CopyDamaged(error)
    }
  }

  /// Compares the rows that the log names, or all rows.
  private mutating func sum(of table: TableSchema, after stored: TableSum) throws -> TableSum {
    var expected: Touched?
    switch source.search {
    case .nothing: return stored
    case .comparison: break
    case .audit(let touched): expected = touched[table.name]
    case .log(let log, let touched):
      switch touched[table.name] ?? .all {
      case .nothing: return stored
      case .all: break
      case .keys(let keys):
        let old = StatementRows(try copy.connection.prepare(TableSQL(table).find), keys: keys)
        let sums = try compare(table, old, log.rows(table, keys: keys))
        return stored.replacing(sums.old, by: sums.new)
      }
    }
    let sums: (old: TableSum, new: TableSum)
    do {
      let new = try source.origin.rows(table, source.plan.projection(table))
      sums = try compare(table, allRows(table), new, expected: expected, filling: added(to: table))
    } catch is ProjectedRows.OutOfOrder {
      let new = try stagedRows(table)
      sums = try compare(table, allRows(table), new, expected: expected, filling: added(to: table))
    }
    guard stored == sums.old else {
      throw CopyDamaged(table: table.name, reason: "its rows do not match its sum")
    }
    return sums.new
  }

  /// Returns the positions of the columns that a new minor adds to a table.
  private func added(to table: TableSchema) -> [Int] {
    guard let old = copy.schema.table(table.name) else { return [] }
    return Array(table.columns.indices.dropFirst(old.columns.count))
  }

  private func allRows(_ table: TableSchema) throws -> StatementRows {
    StatementRows(try copy.connection.prepare(TableSQL(table).allInKeyOrder))
  }

  /// Restarts the table's comparison with rows that are sorted by SQLite, because the origin sorts them differently.
  private mutating func stagedRows(_ table: TableSchema) throws -> ProjectedRows {
    delta.abandonTable()
    missed.removeAll { $0.table.name == table.name }
    return try source.origin.stagedRows(
      table, source.plan.projection(table), schemaSQL: source.plan.newest.schemaSQL)
  }

  private mutating func compare(
    _ table: TableSchema, _ old: some OrderedRows, _ new: ProjectedRows, expected: Touched? = nil,
    filling fill: [Int] = []
  ) throws -> (old: TableSum, new: TableSum) {
    delta.begin(table: table.name, key: table.keyNames, columns: table.columnNames, filling: fill)
    var merge = RowMerge(table, old: old, new: new)
    var hasher = RowHasher()
    var (before, after) = (TableSum(), TableSum())
    var (missed, loss, filled) = (MissedRows(table, besides: expected), ValueLoss(table), 0)
    while let match = try merge.next() {
      let hash = hasher.hash(lent: match == .onlyNew ? new.row : old.row)
      switch match {
      case .same:
        before.insert(hash)
        after.insert(hash)
        if !fill.isEmpty { delta.skip() }
        continue
      case .onlyOld:
        before.insert(hash)
        delta.skip()
        let row = old.row
        loss.remove(row)
        delta.delete(lent: table.key.map { row[$0] })
      case .onlyNew:
        after.insert(hash)
        try new.validate(types)
        loss.insert(new.row)
        delta.insert(lent: new.row)
      case .different:
        before.insert(hash)
        after.insert(hasher.hash(lent: new.row))
        loss.remove(old.row)
        loss.insert(new.row)
        try new.validate(types)
        if merge.changed.allSatisfy(fill.contains) {
          delta.fill(lent: fill.map { new.row[$0] })
          filled += 1
        } else {
          delta.skip()
          add(table, new.row, changed: merge.changed)
        }
      }
      missed?.check(match == .onlyOld ? old.row : new.row)
    }
    if let missed, missed.count > 0 { self.missed.append(missed) }
    losses[table.name] = loss.counts
    self.filled += filled
    return (before, after)
  }

  /// Adds the whole row if the spelling of its key changed, such as its case, or if there are too many column sets.
  private mutating func add(_ table: TableSchema, _ row: [BorrowedValue], changed: [Int]) {
    guard delta.sets < Self.mostSets, !changed.contains(where: table.key.contains) else {
      return delta.insert(lent: row)
    }
    delta.update(lent: (table.key + changed).map { row[$0] }, at: changed)
  }

  private func shrunk(since before: [String: TableSum], _ shrinkGuard: ShrinkGuard) throws -> [ShrunkTable] {
    try shrinkGuard.shrunk(before: before, after: after, source.origin) { name in
      let (rows, lost) = (before[name]?.rows ?? 0, losses[name] ?? [])
      // Reads the copy only if a column lost too many values.
      guard let table = source.plan.schema.table(name),
        lost.contains(where: { shrinkGuard.holdsBack(from: rows, to: rows - $0) })
      else { return ([:], [:]) }
      let old = try copy.values(in: table)
      let new = zip(table.columnNames, lost).map { ($0, (old[$0] ?? 0) - $1) }
      return (old, Dictionary(uniqueKeysWithValues: new))
    }
  }
}
