import SeedDatabase
import SeedFormat

/// The columns that rows of a batch fill, with the statement that writes them.
final class BatchShape {
  let slots: SlotSet
  /// Values of a row.
  let width: Int
  /// Where the key's values stand in a row.
  let key: [Int]
  /// Indexes into the table's columns, for those that the document fills.
  private let columns: [Int]
  private let affinities: [Affinity]
  /// What new rows take besides; lent from `bytes`.
  private let defaults: [BorrowedValue]
  private let bytes = LentBytes()
  private let upsert: Statement
  private var mention: Statement?

  /// `nil` for rows that go their own way: they are too wide, or one whose key is there could be refused for
  /// what it leaves out, for an upsert begins as an insertion.
  init?(_ plan: RowPlan, _ slots: SlotSet, _ connection: Connection) throws {
    let table = plan.table
    let columns = table.columns.indices.filter(slots.contains)
    let defaults = plan.defaults.filter { !slots.contains($0.column) }
    let filled = columns + defaults.map(\.column)
    let isRefusable = table.columns.indices.contains { column in
      table.columns[column].isNotNull && table.columns[column].defaultSQL == nil
        && !table.key.contains(column) && !filled.contains(column)
    }
    guard filled.count <= RowSupply.mostColumns, !isRefusable else { return nil }
    self.slots = slots
    self.columns = columns
    width = filled.count
    key = table.key.compactMap { columns.firstIndex(of: $0) }
    affinities = columns.map { table.columns[$0].affinity }
    upsert = try connection.prepare(Self.sql(table, columns, filled))
    let bytes = bytes
    self.defaults = defaults.map { bytes.lend($0.value) }
  }

  /// Copies the plan's row, which has its key; false where a value is not as its column would keep it.
  @inline(__always)
  func copy(_ plan: RowPlan, to row: UnsafeMutablePointer<BorrowedValue>) -> Bool {
    guard plan.copyRow(columns, affinities, to: row) else { return false }
    for (place, value) in defaults.enumerated() { (row + columns.count + place).initialize(to: value) }
    return true
  }

  /// Notes the rows' keys.
  func mention(in seen: SeenKeys) throws {
    let statement = try mention ?? seen.mentioning(key)
    mention = statement
    defer { statement.rewind() }
    _ = try statement.step()
  }

  /// As a value: its caller decides whether it is a row's matter.
  func run() -> DatabaseError? {
    defer { upsert.rewind() }
    do throws(DatabaseError) {
      _ = try upsert.step()
      return nil
    } catch {
      return error
    }
  }

  /// What stands in `columns` alone is compared, and changed in a row that is there. ABORT, as in ``TableSQL``.
  private static func sql(_ table: TableSchema, _ columns: [Int], _ filled: [Int]) -> String {
    let names = { (columns: [Int]) in columns.map { quoted(table.columns[$0].name) } }
    let list = { (parts: [String]) in parts.joined(separator: ", ") }
    return """
      INSERT OR ABORT INTO \(quoted(table.name)) (\(list(names(filled)))) \
      SELECT \(list(filled.indices.map { "c\($0)" })) FROM \(RowSupply.table) WHERE true \
      ON CONFLICT (\(list(names(table.key)))) \
      DO UPDATE SET \(list(names(settable(table, columns)).map { "\($0) = excluded.\($0)" })) \
      WHERE \(RowSupply.differs)(\(list(names(columns).map { "\(quoted(table.name)).\($0)" })))
      """
  }

  /// Columns in which two rows of the same key can differ; equal keys may be spelled differently.
  private static func settable(_ table: TableSchema, _ columns: [Int]) -> [Int] {
    let others = columns.filter { column in
      guard let place = table.key.firstIndex(of: column) else { return true }
      switch table.columns[column].affinity {
      case .integer: return false
      case .text: return table.keyCollations[place] != .binary
      default: return true
      }
    }
    return others.isEmpty ? columns : others
  }
}
