import SeedFormat
import SeedSystem

extension ImportMapping {
  /// Reads a mapping file (see <doc:Mappings>); throws an ``ImportFailure`` with the code `mapping` and the place.
  public init(json: [UInt8]) throws(ImportFailure) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    do throws(MalformedJSON) {
      try self.init(
        reading: JSONObjectReader(
          parsing: json.starts(with: mark) ? Array(json.dropFirst(mark.count)) : json, at: "$"))
    } catch {
      switch error {
      case .syntax(let error): throw ImportFailure(.mapping, "the mapping is not JSON: \(error)")
      case .field: throw ImportFailure(.mapping, "the mapping's \(error)")
      }
    }
  }

  private init(reading object: consuming JSONObjectReader) throws(MalformedJSON) {
    guard let lists = try object.objectsIfPresent("lists") else {
      self.init(lists: [try List(reading: object)])
      return
    }
    guard !lists.isEmpty else { throw object.error("lists", "expected an array of lists, found none") }
    try object.refuseUnread()
    self.init(lists: try lists.map { list throws(MalformedJSON) in try List(reading: list) })
  }
}

extension ImportMapping.List {
  fileprivate init(reading object: consuming JSONObjectReader) throws(MalformedJSON) {
    let rows = try object.pathIfPresent("rows") ?? "$"
    let file = try object.stringIfPresent("file")
    let layout = try Self.layout(&object) ?? Self.layout(by: file, rows)
    let conditions = try Self.conditions(&object)
    let isOptional = try object.boolIfPresent("optional") ?? false
    self.init(
      try TableMapping(reading: object), rows: rows, layout: layout, where: conditions, file: file,
      isOptional: isOptional)
  }

  private static func conditions(_ object: inout JSONObjectReader) throws(MalformedJSON) -> [RowCondition] {
    guard let members = try object.objectIfPresent("where") else { return [] }
    return try members.unread.map { member throws(MalformedJSON) in
      let values = try (member.value.elements ?? [member.value]).map { value throws(MalformedJSON) in
        guard let plain = value.plain else {
          throw members.error(member.name, "expected a plain value or an array of plain values")
        }
        return plain
      }
      return RowCondition(try members.path(member.name, member.name), in: values)
    }
  }

  /// The layout of a list that does not specify one, by the file name's extension. A feed's `.txt` is CSV.
  private static func layout(by file: String?, _ rows: MemberPath) -> ImportMapping.Layout {
    let name = (file ?? "").lowercased()
    switch (name.hasSuffix(".gz") ? name.dropLast(3) : name[...]).split(separator: ".").last {
    case "csv", "txt": return .csv()
    case "tsv": return .csv(CSVFormat(delimiter: "\t"))
    case "ndjson", "jsonl": return rows == "$" ? .lines : .array
    default: return .array
    }
  }

  private static func layout(_ object: inout JSONObjectReader) throws(MalformedJSON) -> ImportMapping.Layout?
  {
    let keyColumn = try object.stringIfPresent("keyColumn")
    let csv = try object.objectIfPresent("csv")
    let name = try object.stringIfPresent("layout")
    switch (name ?? (csv != nil ? "csv" : keyColumn.map { _ in "dictionary" }), keyColumn, csv) {
    case (nil, _, _): return nil
    case ("array", nil, nil): return .array
    case ("single", nil, nil): return .single
    case ("lines", nil, nil): return .lines
    case ("csv", nil, let csv): return .csv(try CSVFormat(csv))
    case ("dictionary", let column?, nil): return .dictionary(keyColumn: column)
    default:
      throw object.error(
        "layout",
        "expected array, single, lines, csv (optionally with 'csv') or dictionary (with 'keyColumn')")
    }
  }
}

extension CSVFormat {
  fileprivate init(_ object: consuming JSONObjectReader?) throws(MalformedJSON) {
    self.init()
    guard var object else { return }
    if let text = try object.stringIfPresent("delimiter") {
      guard let delimiter = Self.delimiter(spelled: text) else {
        throw object.error("delimiter", "expected one ASCII character, or tab, found \"\(text)\"")
      }
      self.delimiter = delimiter
    }
    empty = try object.choiceIfPresent("empty") ?? empty
    header = object.has("header") ? try object.strings("header") : nil
    try object.refuseUnread()
  }
}

extension TableMapping {
  /// Reads the remaining members; those of the list were read before.
  fileprivate init(reading object: consuming JSONObjectReader) throws(MalformedJSON) {
    self.init(
      try object.string("table"), key: try object.texts("key"),
      names: try object.choiceIfPresent("names") ?? .identity,
      constants: try object.valuesIfPresent("constants") ?? [:],
      defaults: try object.valuesIfPresent("defaults") ?? [:],
      mode: try object.choiceIfPresent("mode") ?? .merge)
    if let columns = try object.objectIfPresent("columns") {
      self.columns = try columns.byName { member throws(MalformedJSON) in
        try ColumnMapping(member, in: columns)
      }
    }
    relations = try (object.objectsIfPresent("relations") ?? []).map(RelationMapping.init(reading:))
    try object.refuseUnread()
  }
}

extension ColumnMapping {
  fileprivate init(_ member: JSONMember, in columns: JSONObjectReader) throws(MalformedJSON) {
    if let text = member.value.string {
      self = .from(try columns.path(member.name, text))
      return
    }
    var object = try JSONObjectReader(member.value, at: columns.place(of: member.name))
    let from = try object.pathIfPresent("from") ?? MemberPath(names: [member.name])
    let conversion = try ImportConversion(reading: &object)
    try object.refuseUnread()
    self = .from(from, conversion)
  }
}

extension ImportConversion {
  private enum Name: String, CaseIterable { case date, base64, json }

  fileprivate init(reading object: inout JSONObjectReader) throws(MalformedJSON) {
    switch try object.choiceIfPresent("as") as Name? {
    case nil: self = .automatic
    case .base64: self = .base64
    case .json: self = .json
    case .date:
      self = .date(
        try object.choiceIfPresent("format") ?? .iso8601, as: try object.choiceIfPresent("to") ?? .seconds,
        zone: try Self.zone(&object))
    }
  }

  private static func zone(_ object: inout JSONObjectReader) throws(MalformedJSON) -> Int {
    guard let text = try object.stringIfPresent("zone") else { return 0 }
    guard let zone = UTCTime.zone(text) else {
      throw object.error("zone", "expected Z, or hours and minutes like +01:00, found \"\(text)\"")
    }
    return zone
  }
}

extension RelationMapping {
  fileprivate init(reading object: consuming JSONObjectReader) throws(MalformedJSON) {
    let table = try Self.table(&object)
    if let path = try object.pathIfPresent("object") {
      self = .object(path, table, foreignKey: try object.texts("foreignKey"))
    } else if let path = try object.pathIfPresent("array") {
      self = .array(path, table, parentKey: try object.texts("parentKey"))
    } else if let path = try object.pathIfPresent("dictionary") {
      self = .dictionary(
        path, table, keyColumn: try object.string("keyColumn"),
        parentKey: try object.texts("parentKey"))
    } else if let path = try object.pathIfPresent("join") {
      self = .join(
        path, table, through: try object.string("through"),
        parentKey: try object.texts("parentKey"), elementKey: try object.texts("elementKey"),
        layout: try object.choiceIfPresent("layout") == JoinLayout.dictionary
          ? .dictionary(keyColumn: nil) : .array)
    } else {
      throw object.error("object", "expected one of object, array, dictionary and join, with a member's path")
    }
    if !isReference { mode = try object.choiceIfPresent("mode") ?? .merge }
    try object.refuseUnread()
  }

  private static func table(_ object: inout JSONObjectReader) throws(MalformedJSON) -> TableMapping {
    let table = try object.take("table")
    if let name = table.string { return TableMapping(name) }
    return try TableMapping(reading: JSONObjectReader(table, at: object.place(of: "table")))
  }

  private enum JoinLayout: String, CaseIterable { case array, dictionary }
}

extension JSONObjectReader {
  fileprivate mutating func texts(_ name: String) throws(MalformedJSON) -> [String] {
    guard let value = takeIfPresent(name) else { return [] }
    let texts = value.string.map { [$0] } ?? value.elements?.compactMap(\.string) ?? []
    guard !texts.isEmpty, texts.count == value.elements?.count ?? 1 else {
      throw error(name, "expected a string or an array of strings")
    }
    return texts
  }

  fileprivate mutating func valuesIfPresent(_ name: String) throws(MalformedJSON) -> [String: SeedValue]? {
    guard let object = try objectIfPresent(name) else { return nil }
    return try object.byName { member throws(MalformedJSON) in
      guard let value = member.value.plain else { throw object.error(member.name, "expected a plain value") }
      return value
    }
  }

  fileprivate mutating func pathIfPresent(_ name: String) throws(MalformedJSON) -> MemberPath? {
    guard let text = try stringIfPresent(name) else { return nil }
    return try path(name, text)
  }

  fileprivate func path(_ name: String, _ text: String) throws(MalformedJSON) -> MemberPath {
    do throws(InvalidPath) {
      return try MemberPath(checking: text)
    } catch { throw self.error(name, "expected a path: \(error.description)") }
  }
}

extension JSONValue {
  /// The plain value as a column stores it; true is 1.
  fileprivate var plain: SeedValue? {
    switch self {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .string(let value): .text(value)
    case .array, .object: nil
    }
  }
}
