import SeedFormat

// A mapping as JSON, for those who write none in Swift: see the article "Mapping files".
extension ImportMapping {
  /// Reads a mapping from JSON; an ``ImportFailure`` of the code `mapping` says what is wrong where.
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
    let rows = MemberPath(try object.stringIfPresent("rows") ?? "$")
    let layout = try Self.layout(&object)
    self.init(try TableMapping(reading: object), rows: rows, layout: layout)
  }

  private static func layout(_ object: inout JSONObjectReader) throws(MalformedJSON) -> ImportMapping.Layout {
    let keyColumn = try object.stringIfPresent("keyColumn")
    let csv = try object.objectIfPresent("csv")
    let name = try object.stringIfPresent("layout")
    switch (name ?? (csv != nil ? "csv" : keyColumn == nil ? "array" : "dictionary"), keyColumn, csv) {
    case ("array", nil, nil): return .array
    case ("single", nil, nil): return .single
    case ("lines", nil, nil): return .lines
    case ("csv", nil, let csv): return .csv(try CSVFormat(csv))
    case ("dictionary", let column?, nil): return .dictionary(keyColumn: column)
    default:
      throw object.error(
        "layout", "expected array, single, lines, csv (alone with csv), or dictionary with a keyColumn")
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
    if let name = try object.stringIfPresent("encoding") {
      guard let encoding = Encoding(named: name) else {
        throw object.error("encoding", "expected one of \(Encoding.names), found \"\(name)\"")
      }
      self.encoding = encoding
    }
    empty = try object.choiceIfPresent("empty") ?? empty
    if let names = try object.stringsIfPresent("header") {
      if let name = Self.doubled(names).first {
        throw object.error("header", "\"\(name)\" stands there twice")
      }
      guard !names.isEmpty else { throw object.error("header", "expected the fields' names, found none") }
      header = names
    }
    try object.refuseUnread()
  }
}

extension TableMapping {
  /// Takes all that is left of the object; a list has taken its own members before.
  fileprivate init(reading object: consuming JSONObjectReader) throws(MalformedJSON) {
    self.init(
      try object.string("table"), key: try object.texts("key"),
      names: try object.choiceIfPresent("names") ?? .identity,
      constants: try object.values("constants"), defaults: try object.values("defaults"),
      mode: try object.choiceIfPresent("mode") ?? .merge)
    if let columns = try object.objectIfPresent("columns") {
      for member in columns.unread {
        self.columns[member.name] = try ColumnMapping(member, at: columns.place(of: member.name))
      }
    }
    for relation in try object.objectsIfPresent("relations") ?? [] {
      relations.append(try RelationMapping(reading: relation))
    }
    try object.refuseUnread()
  }
}

extension ColumnMapping {
  fileprivate init(_ member: JSONMember, at path: String) throws(MalformedJSON) {
    if let text = member.value.string {
      self = .from(MemberPath(text))
      return
    }
    var object = try JSONObjectReader(member.value, at: path)
    let from = try object.stringIfPresent("from") ?? member.name
    var conversion = ImportConversion.automatic
    if let name = try object.stringIfPresent("as") {
      guard let named = ImportConversion(named: name) else {
        let names = ImportConversion.inFiles.map(\.name).joined(separator: ", ")
        throw object.error("as", "expected one of \(names)")
      }
      conversion = named
    }
    try object.refuseUnread()
    self = .from(MemberPath(from), conversion)
  }
}

extension RelationMapping {
  fileprivate init(reading object: consuming JSONObjectReader) throws(MalformedJSON) {
    let table = try TableMapping(reading: object.object("table"))
    if let path = try object.stringIfPresent("object") {
      self = .object(MemberPath(path), table, foreignKey: try object.texts("foreignKey"))
    } else if let path = try object.stringIfPresent("array") {
      self = .array(MemberPath(path), table, parentKey: try object.texts("parentKey"))
    } else if let path = try object.stringIfPresent("dictionary") {
      self = .dictionary(
        MemberPath(path), table, keyColumn: try object.string("keyColumn"),
        parentKey: try object.texts("parentKey"))
    } else if let path = try object.stringIfPresent("child") {
      self = .child(MemberPath(path), table, parentKey: try object.texts("parentKey"))
    } else if let path = try object.stringIfPresent("join") {
      self = .join(
        MemberPath(path), table, through: try object.string("through"),
        parentKey: try object.texts("parentKey"), elementKey: try object.texts("elementKey"),
        layout: try object.choiceIfPresent("layout") == JoinLayout.dictionary
          ? .dictionary(keyColumn: nil) : .array)
    } else {
      throw object.error(
        "object", "expected one of object, array, dictionary, child and join, with a member's path")
    }
    if case .reference = kind {} else { mode = try object.choiceIfPresent("mode") ?? .merge }
    try object.refuseUnread()
  }

  private enum JoinLayout: String, CaseIterable { case array, dictionary }
}

extension JSONObjectReader {
  /// One text or several.
  fileprivate mutating func texts(_ name: String) throws(MalformedJSON) -> [String] {
    guard let value = takeIfPresent(name) else { return [] }
    let texts = value.string.map { [$0] } ?? value.elements?.compactMap(\.string) ?? []
    guard !texts.isEmpty, texts.count == value.elements?.count ?? 1 else {
      throw error(name, "expected a string or an array of strings")
    }
    return texts
  }

  fileprivate mutating func values(_ name: String) throws(MalformedJSON) -> [String: SeedValue] {
    guard let object = try objectIfPresent(name) else { return [:] }
    var values: [String: SeedValue] = [:]
    for member in object.unread {
      switch member.value {
      case .null: values[member.name] = .null
      case .bool(let value): values[member.name] = .integer(value ? 1 : 0)
      case .integer(let value): values[member.name] = .integer(value)
      case .real(let value): values[member.name] = .real(value)
      case .string(let value): values[member.name] = .text(value)
      case .array, .object: throw object.error(member.name, "expected a plain value")
      }
    }
    return values
  }
}
