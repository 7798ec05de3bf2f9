import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Merged deltas compared with a slow model: rows in a dictionary, and each delta applied change by change.
@Suite struct DeltaModelTests {
  private typealias Rows = [Int64: [SeedValue]]

  private static let histories = Stage.pick(quick: 25, full: 1_000, deep: 20_000)
  private static let schema = "CREATE TABLE t(k INTEGER PRIMARY KEY, a, b, c)"
  private static let columns = ["k", "a", "b", "c"]

  /// A few rows whose values change, go and come back.
  private static func history(_ random: inout SplitMix) -> [Rows] {
    var states: [Rows] = [[:]]
    for _ in 0..<Int.random(in: 2...7, using: &random) {
      var rows = states[states.count - 1]
      for key in 0..<6 as Range<Int64> where random.chance(40) { change(&rows, key, &random) }
      states.append(rows)
    }
    return states
  }

  private static func change(_ rows: inout Rows, _ key: Int64, _ random: inout SplitMix) {
    guard var row = rows[key], !random.chance(30) else {
      rows[key] = rows[key] == nil ? [.integer(key)] + (0..<3).map { _ in value(&random) } : nil
      return
    }
    for column in 1...3 where random.chance(50) { row[column] = value(&random) }
    rows[key] = row
  }

  private static func value(_ random: inout SplitMix) -> SeedValue {
    [.null, .integer(1), .real(1), .text("1"), .blob([1])][Int.random(in: 0..<5, using: &random)]
  }

  // MARK: Deltas

  private let merge: DeltaMerge

  init() throws { merge = DeltaMerge(schema: try SchemaReader.schema(of: Self.schema)) }

  private func header(_ from: Int, _ to: Int) throws -> DeltaHeader {
    DeltaHeader(
      series: try SeedSeries("t", major: 1), model: "1.0", schema: merge.schema.hash,
      from: try SeedVersion(from + 1), to: try SeedVersion(to + 1), digest: .of([]))
  }

  private func delta(_ states: [Rows], to version: Int) throws -> [UInt8] {
    let (old, new) = (states[version - 1], states[version])
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["k"], columns: Self.columns)
    for key in old.keys.sorted() where new[key] == nil { writer.delete([.integer(key)]) }
    for (key, row) in new.sorted(by: { $0.key < $1.key }) {
      guard let before = old[key] else {
        writer.insert(row)
        continue
      }
      let changed = row.indices.filter { row[$0] != before[$0] }
      if !changed.isEmpty { writer.update([.integer(key)], changed.map { row[$0] }, at: changed) }
    }
    return writer.document(try header(version - 1, version))
  }

  private func merged(_ documents: [[UInt8]], from start: Int) throws -> [UInt8] {
    var merged = DeltaWriter()
    let header = try merge.run(
      documents.map { document in { DocumentPieces.of(document) } }, from: try SeedVersion(start + 1),
      into: &merged)
    return merged.document(header)
  }

  private func applied(_ document: [UInt8], to rows: Rows) throws -> Rows {
    var (rows, sets) = (rows, [[Int]]())
    var reader = try DeltaReader(document)
    var values: [BorrowedValue] = []
    while case let event = try reader.next(), event != .end {
      if case .table(let table) = event {
        sets = table.sets.map { $0.compactMap { Self.columns.firstIndex(of: $0) } }
        continue
      }
      try reader.read(into: &values)
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

  @Test func `every merged delta leads each version that it covers to its end, even twice`() throws {
    for seed in 0..<Self.histories {
      var random = SplitMix(seed: UInt64(seed))
      let states = Self.history(&random)
      let steps = try states.indices.dropFirst().map { try delta(states, to: $0) }
      for from in states.indices.dropLast() {
        for end in states.indices where end > from {
          let whole = try merged(Array(steps[from..<end]), from: from)
          for start in from...end {
            #expect(
              try applied(whole, to: states[start]) == states[end],
              "seed \(seed): \(from) to \(end), at \(start)")
          }
          guard end - from > 1 else { continue }
          let middle = Int.random(in: from + 1..<end, using: &random)
          let halves = try [
            merged(Array(steps[from..<middle]), from: from), merged(Array(steps[middle..<end]), from: middle),
          ]
          #expect(try merged(halves, from: from) == whole, "seed \(seed): \(from) to \(end), merged twice")
        }
      }
    }
  }
}
