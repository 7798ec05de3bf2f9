import SeedDatabase
import SeedFormat

/// Finds the type that fits all values of a column.
struct ColumnSurvey {
  let hasNull: Bool
  /// The most general rank of all values; `nil` without values.
  private let rank: Rank?

  private enum Rank: Int64 {
    case whole, number, other
  }

  /// Ranks a text that spells a number. A leading zero, as in codes, or more than 18 digits, which may exceed 64 bits,
  /// make it a text.
  private static let rankOfText = """
    CASE WHEN CAST(CAST(value AS INTEGER) AS TEXT) = value THEN iif(length(value) <= 18, 0, 2)
    WHEN substr(value, instr(value, '.') + 1) NOT GLOB '*[^0-9]*' AND value NOT LIKE '%.'
      AND substr(value, 1, instr(value, '.') - 1) IN ('-0', CAST(CAST(value AS INTEGER) AS TEXT)) THEN 1
    ELSE 2 END
    """

  /// Reads all rows of a table. Texts that spell numbers count as numbers, unless `isText`.
  init(_ column: String, of table: String, _ connection: Connection, isText: Bool = false) throws {
    let row = try connection.rows(
      """
      SELECT max(CASE typeof(value) WHEN 'null' THEN NULL WHEN 'integer' THEN 0 WHEN 'real' THEN 1
        WHEN 'text' THEN \(isText ? "2" : Self.rankOfText) ELSE 2 END), count(value) < count(*)
      FROM (SELECT \(quoted(column)) AS value FROM \(quoted(table)))
      """)[0]
    rank = if case .integer(let rank) = row[0] { Rank(rawValue: rank) } else { nil }
    hasNull = row[1] == .integer(1)
  }

  /// The known type of a column with that name if all values fit it; otherwise the type of the values.
  func type(known: FeedTable.ColumnType?) -> FeedTable.ColumnType {
    switch (known, rank) {
    case (.integer?, nil), (.real?, nil), (.real?, .whole?): known ?? .text
    case (.text?, _), (_, nil), (_, .other?): .text
    case (_, .whole?): .integer
    case (_, .number?): .real
    }
  }
}
