package import SeedDatabase
package import SeedFormat

package struct SwiftSnippet: Sendable {
  private let dataset: DatasetName
  private let model: ModelVersion
  private let schema: SHA256Digest

  package init(dataset: DatasetName, model: ModelVersion, schema: SHA256Digest) {
    (self.dataset, self.model, self.schema) = (dataset, model, schema)
  }

  package var declaration: String {
    """
    nonisolated extension SeedModel {
      static let \(name) = SeedModel(
        dataset: "\(dataset)", version: "\(model)",
        schema: "\(schema)")
    }
    """
  }

  package func program(server: String, root: String, table: TableSchema) -> String {
    var types = RowTypes()
    let row = types.declaration(of: table, columns: Self.columns(of: table))
    return """
      import Foundation
      import SeedClient

      \(declaration)

      \(row.text)

      let root = try Data(contentsOf: URL(fileURLWithPath: \(swiftLiteral(root))))
      let seeds = try SeedStore(.\(name), server: URL(string: \(swiftLiteral(server)))!, root: root)
      Task {
        do { try await seeds.keepUpdated(onFailure: { print($0) }) } catch { print(error) }
      }
      // Yields once now, and again after every change.
      for try await rows in seeds.observe(\(swiftLiteral(Self.query(table))), as: \(row.name).self) {
        print(rows)
      }
      """
  }

  private static func columns(of table: TableSchema) -> [String] {
    table.keyNames + table.columnNames.filter { !table.keyNames.contains($0) }.prefix(shownColumns)
  }

  private static func query(_ table: TableSchema) -> String {
    let columns = columns(of: table).map(quoted).joined(separator: ", ")
    let order = table.keyNames.map(quoted).joined(separator: ", ")
    return "SELECT \(columns) FROM \(quoted(table.name)) ORDER BY \(order) LIMIT \(shownRows)"
  }

  /// Returns the best example: the table with the fewest key columns among those that also have other columns.
  package static func example(among tables: [TableSchema]) -> TableSchema? {
    let telling = tables.filter { $0.columns.count > $0.key.count }
    return telling.min { ($0.key.count, $0.name) < ($1.key.count, $1.name) } ?? tables.first
  }

  private static let shownColumns = 3
  private static let shownRows = 5

  private var name: String { SwiftName.quoted(SwiftName.member(dataset.text)) }
}

/// Returns a Swift literal for any text. It is raw if that avoids escapes, because SQL has many quotation marks.
func swiftLiteral(_ text: String) -> String {
  let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  guard !hasControls, text.contains(where: { $0 == "\"" || $0 == "\\" }) else { return text.debugDescription }
  var fence = "#"
  while text.contains("\"\(fence)") || text.contains("\\\(fence)") { fence += "#" }
  return "\(fence)\"\(text)\"\(fence)"
}

enum SwiftName {
  /// `opening hours` and `opening_hours` become `OpeningHours`.
  static func type(_ name: String) -> String {
    started(words(name).map(capitalized).joined(), otherwise: "Row")
  }

  /// `step_free` becomes `stepFree`, and `ID` becomes `id`.
  static func member(_ name: String) -> String {
    let words = words(name)
    let first = words.first.map { $0 == $0.uppercased() ? $0.lowercased() : lowercased($0) } ?? ""
    return started(first + words.dropFirst().map(capitalized).joined(), otherwise: "column")
  }

  /// Returns `name`. If that is taken, adds `ending`; if the longer name is taken too, also adds a number.
  static func unused(_ ending: String, _ name: String, in taken: inout Set<String>) -> String {
    let others = (2...).lazy.map { "\(name)\(ending)\($0)" }
    let candidates = [name] + (ending.isEmpty ? [] : [name + ending])
    let found = candidates.first { !taken.contains($0) } ?? others.first { !taken.contains($0) } ?? name
    taken.insert(found)
    return found
  }

  static func quoted(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  private static func words(_ name: String) -> [String] {
    name.unicodeScalars.split { !$0.properties.isXIDContinue || $0 == "_" }.map { String($0) }
  }

  private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  private static func lowercased(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

  private static func started(_ text: String, otherwise: String) -> String {
    guard let first = text.unicodeScalars.first else { return otherwise }
    return first.properties.isXIDStart ? text : "_\(text)"
  }

  /// Reserved words in lower case, and names with a special meaning after a dot.
  static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
