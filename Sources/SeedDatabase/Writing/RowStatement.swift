package import SeedFormat

/// A statement for several rows at once, prepared separately for each number of rows. One run for sixteen rows saves
/// more than half of the cost per row: starting the statement, opening cursors and descending from the root.
package final class RowStatement {
  package private(set) var runs = 0
  private let connection: Connection
  private let sql: (Int) -> String
  private var prepared: [Int: Statement] = [:]

  /// The number of rows per statement; twice as many are only 5 % faster.
  private static let mostRows = 16
  private static let fewestRows = 4
  /// The number of values per statement; wide tables get fewer rows.
  private static let mostValues = 512

  /// `sql` returns the statement for a number of rows.
  package init(_ connection: Connection, _ sql: @escaping (Int) -> String) {
    (self.connection, self.sql) = (connection, sql)
  }

  /// The numbers of rows for which a statement pays off, in descending order.
  static func sizes(width: Int) -> [Int] {
    let most = min(mostRows, mostValues / max(1, width))
    return [most, fewestRows].filter { (fewestRows...mostRows).contains($0) && $0 <= most }
  }

  /// `width` parameters in parentheses for each row, as after VALUES.
  package static func marks(_ width: Int, rows: Int) -> String {
    let row = "(\(Array(repeating: "?", count: width).joined(separator: ", ")))"
    return Array(repeating: row, count: rows).joined(separator: ", ")
  }

  func close() { (prepared, runs) = ([:], 0) }

  /// Lends the rows' values in these columns to the statement.
  func lend(_ rows: LentRows, _ columns: [Int]) throws -> Statement {
    runs += 1
    let statement = try prepared[rows.count] ?? connection.prepare(sql(rows.count))
    prepared[rows.count] = statement
    var parameter: Int32 = 0
    for number in 0..<rows.count {
      let row = rows[number]
      for column in columns {
        parameter += 1
        try statement.lend(row[column], at: parameter)
      }
    }
    return statement
  }

  /// Runs the statement for all rows, with their values in these columns.
  package func run(_ rows: LentRows, _ columns: [Int]) throws {
    for part in rows.parts(Self.sizes(width: columns.count)) {
      if let error = try lend(part, columns).attempt() { throw error }
    }
  }

  /// Runs the statement for consecutive rows of `width` values each.
  package func run(_ values: some Collection<BorrowedValue>, width: Int) throws {
    let values = ContiguousArray(values)
    try values.withUnsafeBufferPointer { values in
      guard let first = values.baseAddress else { return }
      try run(LentRows(first, width: width, count: values.count / width), Array(0..<width))
    }
  }
}

/// Consecutive rows in memory that its owner keeps until the rows are written.
package struct LentRows {
  package let count: Int
  private let first: UnsafePointer<BorrowedValue>
  private let width: Int

  /// Consecutive rows, each of `width` values.
  package init(_ first: UnsafePointer<BorrowedValue>, width: Int, count: Int) {
    (self.first, self.width, self.count) = (first, width, count)
  }

  package subscript(_ number: Int) -> UnsafeBufferPointer<BorrowedValue> {
    UnsafeBufferPointer(start: first + number * width, count: width)
  }

  subscript(_ numbers: Range<Int>) -> LentRows {
    LentRows(first + numbers.lowerBound * width, width: width, count: numbers.count)
  }

  /// The rows in parts of these sizes, the largest first; the remaining rows follow one by one.
  func parts(_ sizes: [Int]) -> some Sequence<LentRows> {
    sequence(state: 0) { (start: inout Int) -> LentRows? in
      let rest = count - start
      guard rest > 0 else { return nil }
      let size = sizes.first { $0 <= rest } ?? 1
      defer { start += size }
      return self[start..<start + size]
    }
  }
}
