package import SeedDatabase
import SeedFormat

/// Swift types for the rows of tables and views, with unique names.
package struct RowTypes {
  /// Names that the declarations, or most apps, use for other types.
  private static let foreign: Set<String> = [
    "Any", "Array", "Bool", "Character", "Codable", "CodingKey", "CodingKeys", "Data", "Date", "Decimal",
    "Decodable", "Dictionary", "Double", "Encodable", "Error", "Float", "Hashable", "Identifiable", "Int",
    "Never", "Optional", "Protocol", "Range", "Result", "SeedModel", "SeedQuery", "SeedStore", "SeedValue",
    "Self", "Sendable", "Set", "String", "Substring", "Task", "Type", "URL", "UUID", "View", "Void",
  ]

  private var taken = RowTypes.foreign

  package init() {}

  package mutating func declarations(ofSchema sql: String) throws -> [String] {
    let connection = try Connection("schema", .memory)
    try connection.run(script: sql)
    let schema = try SchemaReader(connection).schema()
    let tables = schema.tables.map { RowType($0) }
    let views = try schema.views.map { try RowType(view: $0, in: connection) }
    return (tables + views).map { declaration(of: $0).text }
  }

  package mutating func declaration(
    of table: TableSchema, columns: [String]
  ) -> (name: String, text: String) { declaration(of: RowType(table, columns)) }

  private mutating func declaration(of type: RowType) -> (name: String, text: String) {
    let name = SwiftName.unused("Row", SwiftName.type(type.source), in: &taken)
    return (name, type.declaration(named: name))
  }
}

struct RowType {
  struct Column {
    let name: String
    let type: String
    let isOptional: Bool

    init(_ name: String, _ declaredType: String, _ affinity: Affinity, isNotNull: Bool) {
      let declared = declaredType.uppercased()
      self.name = name
      type =
        switch affinity {
        case .integer: "Int"
        case .real: "Double"
        case .text: "String"
        case .blob: declared.contains("BLOB") ? "[UInt8]" : "SeedValue"
        case .numeric where declared.contains("BOOL"): "Bool"
        // A column of this type may hold anything.
        case .numeric where declared == OriginTable.anyType: "SeedValue"
        case .numeric: declared.contains("NUM") || declared.contains("DEC") ? "Double" : "SeedValue"
        }
      // A SeedValue may be NULL.
      isOptional = !isNotNull && type != "SeedValue"
    }
  }

  let source: String
  private let kind: String
  private let columns: [Column]
  private let members: [String]
  private let key: String?

  init(_ table: TableSchema, _ chosen: [String]? = nil) {
    let keys = Set(table.keyNames)
    let columns = table.columns.filter { chosen?.contains($0.name) ?? true }.map {
      Column($0.name, $0.declaredType, $0.affinity, isNotNull: $0.isNotNull || keys.contains($0.name))
    }
    self.init("table", table.name, columns, key: table.key.count == 1 ? table.keyNames[0] : nil)
  }

  init(view: String, in connection: Connection) throws {
    let columns = try connection.rows(
      "SELECT name, type FROM pragma_table_xinfo(?) ORDER BY cid", .text(view)
    ).map { row in
      let type = row[1].text
      return Column(row[0].text, type, Affinity(declaredType: type, isStrict: false), isNotNull: false)
    }
    self.init("view", view, columns, key: nil)
  }

  private init(_ kind: String, _ source: String, _ columns: [Column], key: String?) {
    (self.kind, self.source, self.columns, self.key) = (kind, source, columns, key)
    var taken: Set<String> = []
    members = columns.map { SwiftName.unused("", SwiftName.member($0.name), in: &taken) }
  }

  func declaration(named name: String) -> String {
    let id = idLines
    // A SeedValue cannot be encoded.
    let coding = columns.contains { $0.type == "SeedValue" } ? "Decodable" : "Codable"
    let parents = "\(coding), Hashable, Sendable" + (id == nil ? "" : ", Identifiable")
    let lines =
      zip(members, columns).map { "let \(SwiftName.quoted($0)): \($1.type)\($1.isOptional ? "?" : "")" }
      + (id ?? []) + keyLines
    return """
      /// A row of the \(kind) \(source.printable).
      nonisolated struct \(name): \(parents) {
      \(lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n"))
      }
      """
  }

  /// The lines that make the key the `id`; `nil` if the key has several columns, or if another column is called `id`.
  private var idLines: [String]? {
    guard let index = columns.firstIndex(where: { $0.name == key }) else { return nil }
    if members[index] == "id" { return [] }
    if members.contains("id") { return nil }
    return ["", "var id: \(columns[index].type) { \(SwiftName.quoted(members[index])) }"]
  }

  /// Declares CodingKeys if the client cannot find each column by the name of its member.
  private var keyLines: [String] {
    let counts = Dictionary(columns.map { (Self.letters($0.name), 1) }, uniquingKeysWith: +)
    let isFound = zip(members, columns).allSatisfy { member, column in
      let letters = Self.letters(column.name)
      return member == column.name || letters == Self.letters(member) && counts[letters] == 1
    }
    if isFound { return [] }
    let cases = zip(members, columns).map { "  case \(SwiftName.quoted($0)) = \(swiftLiteral($1.name))" }
    return ["", "nonisolated enum CodingKeys: String, CodingKey {"] + cases + ["}"]
  }

  /// The client ignores case and underscores.
  private static func letters(_ name: String) -> String { name.lowercased().replacing("_", with: "") }
}
