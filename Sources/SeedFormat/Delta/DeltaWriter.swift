/// Writes the changes of one delta, table by table, and joins them with the header at the end.
///
/// The header holds the state digest at the delta's end, which is known only after the last change:
/// so the changes are gathered first. Within a table the deletes stand before the upserts.
package struct DeltaWriter {
  private var changes: [UInt8] = []
  private var table: OpenTable?

  fileprivate struct OpenTable {
    let name: String
    let key: [String]
    let columns: [String]
    var deletes: [UInt8] = []
    var upserts: [UInt8] = []
  }

  /// A writer without changes.
  package init() {}

  /// Whether nothing has been written yet.
  package var isEmpty: Bool { changes.isEmpty && (table?.isEmpty ?? true) }

  /// Starts a table; one without changes leaves no trace.
  package mutating func begin(table name: String, key: [String], columns: [String]) {
    endTable()
    table = OpenTable(name: name, key: key, columns: columns)
  }

  /// Forgets what was written since the last ``begin(table:key:columns:)``.
  package mutating func abandonTable() { table = nil }

  /// A row that is no longer there, by its key's values.
  package mutating func delete(_ key: [SeedValue]) {
    guard var open = table.take() else { preconditionFailure("a delete outside a table") }
    Self.append(open.key, key, to: &open.deletes)
    table = open
  }

  /// A row as it is at the delta's end, whole.
  package mutating func upsert(_ row: [SeedValue]) {
    guard var open = table.take() else { preconditionFailure("an upsert outside a table") }
    Self.append(open.columns, row, to: &open.upserts)
    table = open
  }

  /// The whole document, on one line.
  package consuming func document(_ header: DeltaHeader) -> [UInt8] {
    endTable()
    var document = header.opening
    document.append(contentsOf: changes)
    document.append(contentsOf: "]}\n".utf8)
    return document
  }

  private mutating func endTable() {
    guard let open = table.take(), !open.isEmpty else { return }
    if !changes.isEmpty { changes.append(UInt8(ascii: ",")) }
    changes.append(contentsOf: #"{"table":"#.utf8)
    JSONWriter.append(open.name, to: &changes)
    changes.append(contentsOf: #","key":"#.utf8)
    JSONWriter.append(.array(open.key.map { .string($0) }), to: &changes)
    changes.append(contentsOf: #","delete":["#.utf8)
    changes.append(contentsOf: open.deletes)
    changes.append(contentsOf: #"],"upsert":["#.utf8)
    changes.append(contentsOf: open.upserts)
    changes.append(contentsOf: "]}".utf8)
  }

  private static func append(_ names: [String], _ values: [SeedValue], to buffer: inout [UInt8]) {
    precondition(names.count == values.count, "a row with \(values.count) of \(names.count) values")
    buffer.append(contentsOf: buffer.isEmpty ? "{".utf8 : ",{".utf8)
    for index in names.indices {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      JSONWriter.append(names[index], to: &buffer)
      buffer.append(UInt8(ascii: ":"))
      DeltaScalar.append(values[index], to: &buffer)
    }
    buffer.append(UInt8(ascii: "}"))
  }
}

extension DeltaWriter.OpenTable {
  fileprivate var isEmpty: Bool { deletes.isEmpty && upserts.isEmpty }
}

extension DeltaHeader {
  /// The document up to the first table.
  fileprivate var opening: [UInt8] {
    let members: JSONValue = [
      "dataset": .string(series.dataset.text),
      "series": .integer(Int64(series.major)),
      "model": .string(model.description),
      "schema": .string(schema.hex),
      "from": .integer(Int64(from.number)),
      "to": .integer(Int64(to.number)),
      "digest": .string(digest.hex),
    ]
    return members.bytes.dropLast() + Array(#","changes":["#.utf8)
  }
}
