import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Deltas and merged deltas compared with a slow model: rows in a dictionary, and each delta applied change by change.
@Suite struct DeltaModelTests {
  private typealias Rows = [Int64: [SeedValue]]

  private static let histories = Stage.pick(quick: 25, full: 1_000, deep: 20_000)
  /// SQLite takes longer than the model.
  private static let databases = Stage.pick(quick: 5, full: 100, deep: 6_000)

  private static let sql = "CREATE TABLE t(k INTEGER PRIMARY KEY, a, b, c UNIQUE)"
  private static let addition = "ALTER TABLE t ADD COLUMN d DEFAULT 1"
  private static let columns = ["k", "a", "b", "c", "d"]
  private static let (unique, added) = (3, 4)
  private static let series = SeedSeries("t", model: "1.0")

  /// Versions of a few rows that change, go, come back, get other keys and swap unique values.
  private struct History {
    /// The version that adds a column, which some rows fill; it may be behind the last one.
    let minor: Int
    private(set) var states: [Rows] = [[:]]

    init(_ random: inout SplitMix) {
      let last = Int.random(in: 2...7, using: &random)
      minor = Int.random(in: 1...last + 2, using: &random)
      for version in 1...last {
        var rows = states[version - 1]
        if version == minor { rows = rows.mapValues { $0 + [.integer(1)] } }
        for key in 0..<6 as Range<Int64> where random.chance(40) {
          change(&rows, key, width(version), &random)
        }
        if random.chance(40) { swapUnique(&rows, &random) }
        states.append(rows)
      }
    }

    func isNew(_ version: Int) -> Bool { version >= minor }

    func width(_ version: Int) -> Int { columns.count - (isNew(version) ? 0 : 1) }

    func begins(_ span: Range<Int>) -> Bool { span.contains(minor - 1) }

    func rows(_ version: Int) -> [[SeedValue]] { states[version].sorted { $0.key < $1.key }.map(\.value) }

    /// No merged delta leads across the beginning of a minor.
    var spans: [Range<Int>] {
      states.indices.flatMap { from in states.indices.dropFirst(from + 1).map { from..<$0 } }
        .filter { $0.count == 1 || !begins($0) }
    }
  }

  private static func change(_ rows: inout Rows, _ key: Int64, _ width: Int, _ random: inout SplitMix) {
    guard var row = rows[key], !random.chance(30) else {
      let new = [.integer(key)] + (1..<width).map { value($0, rows, &random) }
      rows[key] = rows[key] == nil ? new : nil
      return
    }
    for column in 1..<width where random.chance(50) { row[column] = value(column, rows, &random) }
    rows[key] = nil
    let other = Int64.random(in: 0..<6, using: &random)
    if random.chance(20), rows[other] == nil { row[0] = .integer(other) }
    if case .integer(let key) = row[0] { rows[key] = row }
  }

  private static func value(_ column: Int, _ rows: Rows, _ random: inout SplitMix) -> SeedValue {
    guard column == unique else {
      return random.pick([.null, .integer(1), .real(1), .text("1"), .blob([1])])
    }
    let taken = Set(rows.values.map { $0[unique] })
    return random.pick((0..<8).map(SeedValue.integer).filter { !taken.contains($0) })
  }

  private static func swapUnique(_ rows: inout Rows, _ random: inout SplitMix) {
    guard !rows.isEmpty else { return }
    let (one, other) = (random.pick(rows.keys.sorted()), random.pick(rows.keys.sorted()))
    guard let first = rows[one]?[unique], let second = rows[other]?[unique] else { return }
    rows[one]?[unique] = second
    rows[other]?[unique] = first
  }

  // MARK: Deltas

  private let older: DatabaseSchema
  private let newer: DatabaseSchema

  init() throws {
    older = try SchemaReader.schema(of: Self.sql)
    newer = try SchemaReader.schema(of: "\(Self.sql); \(Self.addition)")
  }

  private func schema(_ history: History, _ version: Int) -> DatabaseSchema {
    history.isNew(version) ? newer : older
  }

  private func header(_ history: History, to version: Int) throws -> DeltaHeader {
    let rows = history.states[version].map {
      (CanonicalRow.bytes(of: [.integer($0.key)]), CanonicalRow.bytes(of: $0.value))
    }
    return DeltaHeader(
      series: Self.series, model: history.isNew(version) ? "1.1" : "1.0",
      schema: schema(history, version).hash, from: try SeedVersion(version), to: try SeedVersion(version + 1),
      digest: slowDigest(["t": Dictionary(uniqueKeysWithValues: rows)]),
      additions: version == history.minor
        ? SchemaAdditions(before: older.hash, statements: [Self.addition]) : nil)
  }

  private func step(_ history: History, to version: Int) throws -> [UInt8] {
    let (old, new, begins) = (history.states[version - 1], history.states[version], version == history.minor)
    var writer = DeltaWriter()
    writer.begin(
      table: "t", key: ["k"], columns: Array(Self.columns.prefix(history.width(version))),
      filling: begins ? [Self.added] : [])
    for key in Set(old.keys).union(new.keys).sorted() {
      let before = old[key].map { $0 + (begins ? [.integer(1)] : []) }
      Self.write(before, new[key], filling: begins, &writer)
    }
    return writer.document(try header(history, to: version))
  }

  private static func write(
    _ before: [SeedValue]?, _ row: [SeedValue]?, filling: Bool, _ writer: inout DeltaWriter
  ) {
    guard let before else {
      if let row { writer.insert(row) }
      return
    }
    let changed = row.map { row in row.indices.filter { row[$0] != before[$0] } } ?? []
    if let row, filling, changed == [added] {
      return LentBytes.lending([row[added]]) { writer.fill(lent: $0) }
    }
    writer.skip()
    guard let row else { return writer.delete([before[0]]) }
    if !changed.isEmpty { writer.update([row[0]], changed.map { row[$0] }, at: changed) }
  }

  private func merged(_ documents: [[UInt8]], of history: History, _ span: Range<Int>) throws -> [UInt8] {
    var merged = DeltaWriter()
    let header = try DeltaMerge(schema: schema(history, span.upperBound)).run(
      documents.map { document in { DocumentPieces.of(document) } },
      from: try SeedVersion(span.lowerBound + 1),
      into: &merged)
    return merged.document(header)
  }

  private func deltas(_ history: History) throws -> [Range<Int>: [UInt8]] {
    let steps = try history.states.indices.dropFirst().map { try step(history, to: $0) }
    let deltas = try history.spans.map { span in
      (span, span.count == 1 ? steps[span.lowerBound] : try merged(Array(steps[span]), of: history, span))
    }
    return Dictionary(uniqueKeysWithValues: deltas)
  }

  private func applied(_ document: [UInt8], to rows: Rows) throws -> Rows {
    var (rows, sets) = (rows, [[Int]]())
    var reader = try DeltaReader(document)
    if reader.header.additions != nil { rows = rows.mapValues { $0 + [.integer(1)] } }
    var unfilled = rows.keys.sorted()[...]
    var values: [BorrowedValue] = []
    while case let event = try reader.next(), event != .end {
      if case .table(let table) = event {
        sets = table.sets.map { $0.compactMap { Self.columns.firstIndex(of: $0) } }
        continue
      }
      if case .skip(let count) = event {
        unfilled = unfilled.dropFirst(count)
        continue
      }
      try reader.read(into: &values)
      if event == .fill {
        let key = try #require(unfilled.first)
        rows[key]?[Self.added] = values[0].owned
        unfilled = unfilled.dropFirst()
        continue
      }
      guard case .integer(let key) = values[0] else { return [:] }
      switch event {
      case .delete: rows[key] = nil
      case .update(let set):
        var row = try #require(rows[key], "an update of a missing row")
        for (position, value) in zip(sets[set], values.dropFirst()) { row[position] = value.owned }
        rows[key] = row
      default: rows[key] = values.map(\.owned)
      }
    }
    return rows
  }

  @Test func `every delta leads each version that it covers to its end, even twice unless it begins a minor`()
    throws
  {
    for seed in 0..<Self.histories {
      var random = SplitMix(seed: UInt64(seed))
      let history = History(&random)
      let deltas = try deltas(history)
      for span in history.spans {
        let delta = try #require(deltas[span])
        let twice = history.begins(span) ? [] : [span.upperBound]
        for start in span + twice {
          #expect(
            try applied(delta, to: history.states[start]) == history.states[span.upperBound],
            "seed \(seed): \(span), at \(start)")
        }
        guard span.count > 1 else { continue }
        let middle = Int.random(in: span.dropFirst(), using: &random)
        let halves = try [span.lowerBound..<middle, middle..<span.upperBound].map { try #require(deltas[$0]) }
        #expect(try merged(halves, of: history, span) == delta, "seed \(seed): \(span), merged twice")
      }
    }
  }

  // MARK: Databases

  private func emptySeed() throws -> Connection {
    let database = try Connection("seed", .memory)
    try database.execute(Self.sql)
    let meta = SeedMeta(
      series: Self.series, model: "1.0", epoch: .random(), version: .first, schema: older.hash,
      digest: StateDigest.of(["t": TableSum()]), provenance: Provenance())
    try SeedTables.create(meta, older.tables, database)
    return database
  }

  @Test func `every delta leads a database of each version that it covers to its end, and applies once`()
    throws
  {
    for seed in 0..<Self.databases {
      var random = SplitMix(seed: UInt64(seed))
      let history = History(&random)
      let (deltas, database) = (try deltas(history), try emptySeed())
      for version in history.states.indices {
        let schema = schema(history, version)
        func apply(_ span: Range<Int>) throws {
          _ = try DeltaApplier(database, schema).apply(deltas[span] ?? [])
        }
        for span in history.spans where span.contains(version) {
          let place = Comment("seed \(seed): \(span), at \(version)")
          try database.execute("BEGIN IMMEDIATE")
          defer { database.rollBack() }
          #expect(throws: Never.self, place) { try apply(span) }
          #expect(try database.rows("SELECT * FROM t ORDER BY k") == history.rows(span.upperBound), place)
          #expect(throws: ApplyError.self, place) { try apply(span) }
        }
        guard version + 1 < history.states.count else { continue }
        try database.transaction { try apply(version..<version + 1) }
      }
      try SeedCheck(database, schema(history, history.states.count - 1)).run()
    }
  }
}
