import SeedFormat

// A mapping as JSON, for those who write none in Swift: see the article "Mapping files".
extension ImportMapping {
  /// Reads a mapping from JSON, with a byte order mark or without; an ``ImportFailure`` of the code `mapping` says
  /// what is wrong where.
  public init(json: [UInt8]) throws(ImportFailure) {
    var object: MappingObject
    do throws(JSONError) {
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      object = MappingObject(
        try JSONValue(parsing: json.starts(with: mark) ? Array(json.dropFirst(mark.count)) : json), "$")
    } catch {
      throw ImportFailure(.mapping, "the mapping is no JSON: \(error)")
    }
    guard let lists = try object.list("lists") else {
      self.init(lists: [try List(&object)])
      return
    }
    try object.refuseOthers()
    self.init(
      lists: try lists.map { object throws(ImportFailure) in
        var object = object
        return try List(&object)
      })
  }
}

extension ImportMapping.List {
  fileprivate init(_ object: inout MappingObject) throws(ImportFailure) {
    let rows = MemberPath(try object.text("rows") ?? "$")
    let keyColumn = try object.text("keyColumn")
    let layout = try Self.layout(object.text("layout"), keyColumn, object)
    self.init(try TableMapping(&object), rows: rows, layout: layout)
  }

  private static func layout(
    _ name: String?, _ keyColumn: String?, _ object: MappingObject
  ) throws(ImportFailure) -> ImportMapping.Layout {
    switch (name ?? (keyColumn == nil ? "array" : "dictionary"), keyColumn) {
    case ("array", nil): return .array
    case ("single", nil): return .single
    case ("lines", nil): return .lines
    case ("dictionary", let column?): return .dictionary(keyColumn: column)
    default:
      throw object.wrong("layout", "array, single, lines, or dictionary with a keyColumn")
    }
  }
}

extension TableMapping {
  fileprivate init(_ object: inout MappingObject) throws(ImportFailure) {
    guard let table = try object.text("table") else { throw object.wrong("table", "a table's name") }
    self.init(
      table, key: try object.texts("key"), names: try object.choice("names") ?? .identity,
      constants: try object.values("constants"), defaults: try object.values("defaults"),
      mode: try object.choice("mode") ?? .merge)
    for member in try object.members("columns") {
      columns[member.name] = try object.column(member)
    }
    for (number, element) in try object.elements("relations").enumerated() {
      relations.append(try RelationMapping(MappingObject(element, "\(object.place).relations[\(number)]")))
    }
    try object.refuseOthers()
  }
}

extension RelationMapping {
  fileprivate init(_ object: MappingObject) throws(ImportFailure) {
    var object = object
    var nested = MappingObject(object.take("table") ?? .null, "\(object.place).table")
    let table = try TableMapping(&nested)
    if let path = try object.text("object") {
      self = .object(MemberPath(path), table, foreignKey: try object.texts("foreignKey"))
    } else if let path = try object.text("array") {
      self = .array(MemberPath(path), table, parentKey: try object.texts("parentKey"))
    } else if let path = try object.text("join"), let through = try object.text("through") {
      self = .join(
        MemberPath(path), table, through: through, parentKey: try object.texts("parentKey"),
        elementKey: try object.texts("elementKey"))
    } else {
      throw object.wrong("object", "an object, an array, or a join with a through, as a member's path")
    }
    try object.refuseOthers()
  }
}

/// One object of a mapping's JSON; what was taken out of it is known, and nothing else may be in it.
private struct MappingObject {
  let place: String
  private let value: JSONValue
  private var known: [String] = []

  init(_ value: JSONValue, _ place: String) {
    self.value = value
    self.place = place
  }

  mutating func take(_ name: String) -> JSONValue? {
    known.append(name)
    return value[name]
  }

  mutating func text(_ name: String) throws(ImportFailure) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.string else { throw wrong(name, "a string") }
    return text
  }

  mutating func texts(_ name: String) throws(ImportFailure) -> [String] {
    guard let value = take(name) else { return [] }
    let texts = value.string.map { [$0] } ?? value.elements?.compactMap(\.string) ?? []
    guard !texts.isEmpty, texts.count == value.elements?.count ?? 1 else {
      throw wrong(name, "a string or an array of strings")
    }
    return texts
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String
  ) throws(ImportFailure) -> Choice? where Choice.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw wrong(name, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }

  mutating func members(_ name: String) throws(ImportFailure) -> [JSONMember] {
    guard let value = take(name) else { return [] }
    guard let members = value.members else { throw wrong(name, "an object") }
    return members
  }

  mutating func elements(_ name: String) throws(ImportFailure) -> [JSONValue] {
    guard let value = take(name) else { return [] }
    guard let elements = value.elements else { throw wrong(name, "an array") }
    return elements
  }

  /// The objects of an array that has some; `nil` where there is none of that name.
  mutating func list(_ name: String) throws(ImportFailure) -> [MappingObject]? {
    guard let value = take(name) else { return nil }
    guard let elements = value.elements, !elements.isEmpty else { throw wrong(name, "an array of lists") }
    return elements.enumerated().map { MappingObject($1, "\(place).\(name)[\($0)]") }
  }

  mutating func values(_ name: String) throws(ImportFailure) -> [String: SeedValue] {
    var values: [String: SeedValue] = [:]
    for member in try members(name) {
      switch member.value {
      case .null: values[member.name] = .null
      case .bool(let value): values[member.name] = .integer(value ? 1 : 0)
      case .integer(let value): values[member.name] = .integer(value)
      case .real(let value): values[member.name] = .real(value)
      case .string(let value): values[member.name] = .text(value)
      case .array, .object: throw wrong("\(name).\(member.name)", "a plain value")
      }
    }
    return values
  }

  func column(_ member: JSONMember) throws(ImportFailure) -> ColumnMapping {
    if let path = member.value.string { return .from(MemberPath(path)) }
    var object = MappingObject(member.value, "\(place).columns.\(member.name)")
    let path = try object.text("from") ?? member.name
    let conversion: ImportConversion
    switch try object.text("as") {
    case nil: conversion = .automatic
    case "iso8601": conversion = .iso8601(.unix)
    case "iso8601-coredata": conversion = .iso8601(.coreData)
    case "text": conversion = .text
    case "number": conversion = .number
    case "base64": conversion = .base64
    case "json": conversion = .json
    default: throw object.wrong("as", "one of iso8601, iso8601-coredata, text, number, base64, json")
    }
    try object.refuseOthers()
    return .from(MemberPath(path), conversion)
  }

  func refuseOthers() throws(ImportFailure) {
    guard let members = value.members else {
      throw ImportFailure(.mapping, "the mapping's \(place): expected an object, found \(value.kind)")
    }
    guard let other = members.first(where: { !known.contains($0.name) }) else { return }
    let nearest = nearestName(to: other.name, among: known).map { ", did you mean \"\($0)\"?" }
    let names = known.sorted().joined(separator: ", ")
    throw ImportFailure(
      .mapping,
      "the mapping's \(place).\(other.name): unknown\(nearest ?? ""), expected one of \(names)")
  }

  func wrong(_ name: String, _ expected: String) -> ImportFailure {
    ImportFailure(.mapping, "the mapping's \(place).\(name): expected \(expected)")
  }
}
