package import SeedFormat

/// A slow importer that is easily seen to be right: a tree of the document, and a dictionary of rows.
///
/// It knows arrays of objects with all that may be nested in them, by merging: `parent` (key `id`; columns `a`, `b`,
/// `state`, `owner`), its `owner` (key `id`; `name`, `level`), `child` (key `parent`, `n`; `v`, `kind`), dictionaries
/// of dictionaries as `note` (key `parent`, `k`; `v`) and `mark` (key `parent`, `k`, `m`; `w`), and `tag` (key `name`;
/// `color`) joined through `pair`. Keys and `owner` are whole numbers, or texts in `k`, `m` and `name`; `state`, `level`
/// and `kind` are numbers by a map of values; all else is TEXT, which keeps a number's digits.
package struct ImportReference {
  /// Rows by table and key; a column that no row mentioned is NULL.
  package private(set) var tables: [String: [[SeedValue]: [String: SeedValue]]] = [:]

  /// What `state`, `level` and `kind` are told by; only `kind` has a number for every other value.
  package static let numbers: [String: Int64] = ["on": 1, "off": 0, "7": 70]
  /// The number of a `kind` that is not listed.
  package static let otherKind: Int64 = -1

  private struct Refused: Error {}

  package init() {}

  /// Takes one document in. Of those of one import, one after another.
  package mutating func take(_ document: JSONValue) {
    for row in document.elements ?? [] { try? takeParent(row) }
  }

  private mutating func takeParent(_ row: JSONValue) throws {
    let id = try Self.key(row["id"])
    var columns = Self.plain(row, ["a", "b"])
    columns["state"] = try Self.number(row["state"])
    if let owner = row["owner"] { columns["owner"] = try takeOwner(owner) }
    merge("parent", [id], columns)
    for child in row["children"]?.elements ?? [] { try? takeChild(child, of: id) }
    for tag in row["tags"]?.elements ?? [] { try? takeTag(tag, of: id) }
    for note in row["notes"]?.members ?? [] { try? takeNote(note.value, [id, .text(note.name)]) }
  }

  /// The key. Nothing is refused behind it, so its row may be taken at once.
  private mutating func takeOwner(_ owner: JSONValue) throws -> SeedValue? {
    guard owner.members != nil else { return Self.value(owner) }
    let key = try Self.key(owner["id"])
    var columns = Self.plain(owner, ["name"])
    columns["level"] = try Self.number(owner["level"])
    merge("owner", [key], columns)
    return key
  }

  private mutating func takeChild(_ child: JSONValue, of parent: SeedValue) throws {
    var columns = Self.plain(child, ["v"])
    columns["kind"] = try Self.number(child["kind"], otherwise: Self.otherKind)
    merge("child", [parent, try Self.key(child["n"])], columns)
  }

  private mutating func takeTag(_ tag: JSONValue, of parent: SeedValue) throws {
    let name = try Self.key(tag.members == nil ? tag : tag["name"])
    merge("tag", [name], Self.plain(tag, ["color"]))
    merge("pair", [parent, name], [:])
  }

  private mutating func takeNote(_ note: JSONValue, _ key: [SeedValue]) throws {
    guard note.members != nil else { throw Refused() }
    merge("note", key, Self.plain(note, ["v"]))
    for mark in note["marks"]?.members ?? [] where mark.value.members != nil {
      merge("mark", key + [.text(mark.name)], Self.plain(mark.value, ["w"]))
    }
  }

  private mutating func merge(_ table: String, _ key: [SeedValue], _ columns: [String: SeedValue]) {
    tables[table, default: [:]][key, default: [:]].merge(columns) { $1 }
  }

  // MARK: Values

  private static func key(_ json: JSONValue?) throws -> SeedValue {
    guard let value = value(json), value != .null else { throw Refused() }
    return value
  }

  /// `nil` where the member is missing.
  private static func number(_ json: JSONValue?, otherwise: Int64? = nil) throws -> SeedValue? {
    guard let json else { return nil }
    if json == .null { return .null }
    guard let number = numbers[json.string ?? json.text] ?? otherwise else { throw Refused() }
    return .integer(number)
  }

  private static func plain(_ object: JSONValue, _ names: [String]) -> [String: SeedValue] {
    var columns: [String: SeedValue] = [:]
    for name in names {
      switch object[name] {
      case .integer?, .real?: columns[name] = object[name].map { .text($0.text) }
      case let other: if let value = Self.value(other) { columns[name] = value }
      }
    }
    return columns
  }

  private static func value(_ json: JSONValue?) -> SeedValue? {
    switch json {
    case .null?: .null
    case .integer(let value)?: .integer(value)
    case .string(let text)?: .text(text)
    default: nil
    }
  }

  /// The tables' rows as a query would show them.
  package func rows(_ table: String, key: [String], columns: [String]) -> Set<String> {
    Set(
      (tables[table] ?? [:]).map { key, row in
        (key + columns.map { row[$0] ?? .null }).map(\.description).joined(separator: "|")
      })
  }
}
