import SeedDatabase
import SeedFormat

/// A row of the document that is collected with others, and where it can be read again.
struct CollectedRow {
  /// The list that it belongs to, by its number in the mapping.
  let list: Int
  /// Its name in a dictionary of rows.
  let name: String?
  let row: Int
  let offset: Int
  /// Behind the row.
  let end: Int
}

/// The rows that are collected since the last writing.
///
/// Rows that are refused come in company: behind one, fewer are collected at a time, for all of them are
/// written again, one by one.
struct CollectedRows {
  private(set) var rows: [CollectedRow] = []
  private var most = Self.mostRows

  private static let mostRows = 1024
  private static let fewestRows = 16

  var isFull: Bool { rows.count >= most }

  mutating func append(_ row: CollectedRow) { rows.append(row) }

  /// All rows; they were written together, or have to be written one by one.
  mutating func take(isWritten: Bool) -> [CollectedRow] {
    most = isWritten ? min(2 * most, Self.mostRows) : Self.fewestRows
    defer { rows.removeAll(keepingCapacity: isWritten) }
    return isWritten ? [] : rows
  }
}
