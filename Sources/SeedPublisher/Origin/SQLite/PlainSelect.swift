import SeedDatabase
import SeedFormat

/// A projection that maps the rows of one table one to one, so that a key finds its row through an index: the table, or
/// a SELECT of columns only, as `init` generates for tables identified by rowid.
struct PlainSelect {
  let table: String
  /// The table's columns by the client's, in lower case; `nil` if the names are equal.
  private let columns: [String: String]?

  init?(_ table: TableSchema, _ projection: Projection) {
    guard let sql = projection.sql else {
      (self.table, columns) = (table.name.lowercased(), nil)
      return
    }
    var parser = Parser(sql)
    guard let found = parser.select() else { return nil }
    (self.table, columns) = (found.table, found.columns)
  }

  func column(_ name: String) -> String? {
    guard let columns else { return name.lowercased() }
    return columns[name.lowercased()]
  }

  private struct Parser {
    private let sql: [UInt8]
    private var rest: ArraySlice<SQLScanner.Token>

    init(_ sql: String) {
      self.sql = Array(sql.utf8)
      rest = SQLScanner.tokens(of: self.sql)[...]
    }

    mutating func select() -> (table: String, columns: [String: String])? {
      guard take("SELECT") else { return nil }
      var columns: [String: String] = [:]
      repeat {
        guard let column = name() else { return nil }
        let alias = take("AS") ? name() : column
        guard let alias, columns.updateValue(column, forKey: alias) == nil else { return nil }
      } while take(",")
      guard take("FROM"), let table = name() else { return nil }
      while take(";") {}
      return rest.isEmpty ? (table, columns) : nil
    }

    private mutating func take(_ keyword: String) -> Bool {
      guard rest.first?.keyword == keyword else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func name() -> String? {
      guard let token = rest.first, token.isQuoted || Self.isWord(token.keyword),
        !token.text(in: sql).hasPrefix("'")
      else { return nil }
      rest.removeFirst()
      return token.name(in: sql).lowercased()
    }

    private static func isWord(_ word: String) -> Bool {
      word.utf8.first.map { $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        ?? false
        && word.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 < 0x80 } && !words.contains(word)
    }

    /// Words that are values or precede a list of columns.
    private static let words: Set = [
      "DISTINCT", "ALL", "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "FROM",
      "AS", "CASE", "CAST", "EXISTS", "NOT", "SELECT",
    ]
  }
}
