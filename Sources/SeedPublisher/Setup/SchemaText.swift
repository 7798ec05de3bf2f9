import SeedDatabase

/// A schema's text as a sequence of statements.
struct SchemaText {
  private(set) var bytes: [UInt8]

  init(_ sql: String) { bytes = Array(sql.utf8) }

  var sql: String { String(decoding: bytes, as: UTF8.self) }

  /// Replaces a table's CREATE statement with the result of `change`; returns false without a table or result.
  mutating func changeTable(_ name: String, _ change: (SQLText) -> String?) -> Bool {
    guard let range = statement(ofTable: name),
      let changed = change(SQLText(String(decoding: bytes[range], as: UTF8.self)))
    else { return false }
    bytes.replaceSubrange(range, with: Array(changed.utf8))
    return true
  }

  private func statement(ofTable name: String) -> Range<Int>? {
    let statements = SQLScanner.tokens(of: bytes).split { $0.keyword == ";" }
    return statements.first { Self.table($0, bytes)?.lowercased() == name.lowercased() }.map {
      $0[$0.startIndex].range.lowerBound..<$0[$0.endIndex - 1].range.upperBound
    }
  }

  /// The table's name after `CREATE TABLE IF NOT EXISTS`.
  private static func table(_ statement: ArraySlice<SQLScanner.Token>, _ bytes: [UInt8]) -> String? {
    let words = statement.prefix { $0.keyword != "(" }
    guard words.first?.keyword == "CREATE", words.contains(where: { $0.keyword == "TABLE" }) else {
      return nil
    }
    return words.last?.name(in: bytes)
  }
}
