import SeedFormat
import SeedTrust

// What a schema is, as one digest: two texts that build the same structure have the same.
extension SchemaReader {
  func digest(_ tables: [TableSchema], _ search: [SearchTable], _ listed: [Listed]) throws -> SHA256Digest {
    let structure: JSONValue = .object([
      JSONMember("tables", .array(try tables.map(describe))),
      JSONMember("indexes", .array(try indexes(tables))),
      JSONMember("views", .array(try listed.filter { $0.kind == "view" }.map { try normalized($0.name) })),
      JSONMember("search", .array(try search.map { try normalized($0.name) })),
    ])
    return SHA256Digest.of(structure.bytes)
  }

  private func describe(_ table: TableSchema) throws -> JSONValue {
    [
      "name": .string(table.name),
      "columns": .array(table.columns.map(describe)),
      "generated": .array(table.generated.map { .string($0) }),
      "key": .array(table.keyNames.map { .string($0) }),
      "keyCollations": .array(table.keyCollations.map { .string($0.rawValue) }),
      "withoutRowid": .bool(table.isWithoutRowid),
      "strict": .bool(table.isStrict),
      "references": .array(table.foreignKeys.map(describe)),
      "expressions": .array(SQLTokens(try sql(table.name)).expressions.map { .string($0) }),
    ]
  }

  private func describe(_ column: ColumnSchema) -> JSONValue {
    [
      "name": .string(column.name),
      "type": .string(column.declaredType.uppercased()),
      "notNull": .bool(column.isNotNull),
      "default": column.defaultSQL.map { .string($0) } ?? .null,
      "collation": .string(column.collation.rawValue),
    ]
  }

  private func describe(_ reference: ForeignKeySchema) -> JSONValue {
    [
      "columns": .array(reference.columns.map { .string($0) }),
      "parent": .string(reference.parent),
      "parentColumns": .array(reference.parentColumns.map { .string($0) }),
      "onUpdate": .string(reference.onUpdate),
      "onDelete": .string(reference.onDelete),
    ]
  }

  /// Explicit indexes by their normalized text, and the unique ones that constraints made by their columns.
  private func indexes(_ tables: [TableSchema]) throws -> [JSONValue] {
    let explicit = try connection.rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    let implied = try tables.flatMap { table in
      try self.indexes(of: table.name).filter { $0.origin == "u" }
        .map { $0.key.map { "\($0.column ?? "") \($0.collationName)" }.joined(separator: ",") }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        .map { JSONValue.string("\(table.name): \($0)") }
    }
    return explicit.map { .string(SQLTokens($0[0].text).normalized) } + implied
  }

  private func normalized(_ name: String) throws -> JSONValue { .string(SQLTokens(try sql(name)).normalized) }
}
