package import SeedFormat

/// A slow but obviously correct importer: a tree of the document and a dictionary of rows.
///
/// Supports arrays of nested objects, by merging: `parent` (key `id`; columns `a`, `b`, `state`, `owner`), its `owner`
/// (key `id`; `name`, `level`), `child` (key `parent`, `n`; `v`, `kind`), dictionaries of dictionaries as `note` (key
/// `parent`, `k`; `v`) and `mark` (key `parent`, `k`, `m`; `w`), and `tag` (key `name`; `color`) joined through `pair`.
/// Keys and `owner` are whole numbers, or texts in `k`, `m` and `name`; `state`, `level` and `kind` are numbers by a
/// map of values; the rest is TEXT, which keeps a number's digits.
package struct ImportReference {
  /// Rows by table and key; columns that no row mentioned are NULL.
  package private(set) var tables: [String: [[SeedValue]: [String: SeedValue]]] = [:]

  /// The map for `state`, `level` and `kind`; only `kind` has a number for other values.
  package static let numbers: [String: Int64] = ["on": 1, "off": 0, "7": 70]
  /// The number of a `kind` that is not listed.
  package static let otherKind: Int64 = -1

  private struct Refused: Error {}

  package init() {}

  /// Imports the next document of an import.
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

  /// Returns the key. Nothing after it can fail, so the row may be added at once.
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

  /// Nil if the member is missing.
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

  /// A table's rows in the format of a query.
  package func rows(_ table: String, key: [String], columns: [String]) -> Set<String> {
    Set(
      (tables[table] ?? [:]).map { key, row in
        (key + columns.map { row[$0] ?? .null }).map(\.description).joined(separator: "|")
      })
  }
}
