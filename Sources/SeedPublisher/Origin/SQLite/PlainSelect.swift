import SeedDatabase
import SeedFormat

/// A projection that maps the rows of one table one to one, so that a key finds its row through an index: the table, or
/// a SELECT of columns only, as `init` generates for tables identified by rowid.
struct PlainSelect {
  let table: String
  /// The table's columns by the client's, in lower case; `nil` if the names are equal.
  private let columns: [String: String]?

  func column(_ name: String) -> String? {
    guard let columns else { return name.lowercased() }
    return columns[name.lowercased()]
  }
}

extension PlainSelect {
  init?(_ table: TableSchema, _ projection: Projection) {
    guard let text = projection.sql else {
      self.init(table: table.name.lowercased(), columns: nil)
      return
    }
    let sql = Array(text.utf8)
    var tokens = SQLScanner.tokens(of: sql)[...]
    while tokens.last?.keyword == ";" { tokens.removeLast() }
    guard tokens.popFirst()?.keyword == "SELECT", let source = Self.name(tokens.popLast(), in: sql),
      tokens.popLast()?.keyword == "FROM"
    else { return nil }
    var columns: [String: String] = [:]
    for part in tokens.split(omittingEmptySubsequences: false, whereSeparator: { $0.keyword == "," }) {
      let isRenamed = part.count == 3 && part.dropFirst().first?.keyword == "AS"
      guard part.count == 1 || isRenamed, let column = Self.name(part.first, in: sql),
        let alias = Self.name(part.last, in: sql), columns.updateValue(column, forKey: alias) == nil
      else { return nil }
    }
    self.init(table: source, columns: columns)
  }

  private static func name(_ token: SQLScanner.Token?, in sql: [UInt8]) -> String? {
    guard let token, token.isQuoted || isName(token.keyword), !token.text(in: sql).hasPrefix("'") else {
      return nil
    }
    return token.name(in: sql).lowercased()
  }

  private static func isName(_ word: String) -> Bool {
    word.utf8.first.map { $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      ?? false
      && word.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 < 0x80 } && !values.contains(word)
  }

  private static let values: Set = [
    "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
  ]
}
