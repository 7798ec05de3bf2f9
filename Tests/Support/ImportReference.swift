package import SeedFormat

/// A slow importer that is easily seen to be right: a tree of the document, and a dictionary of rows.
///
/// It knows arrays of objects with a nested object and a nested array: `parent` (key `id`, columns `a`, `b`,
/// `owner`), `owner` (key `id`, column `name`) and `child` (key `parent`, `n`; column `v`). Keys and `owner` are
/// whole numbers, all else is TEXT, which keeps a number's digits: so no value changes on its way.
package struct ImportReference {
  /// Rows by table and key; a column that no row mentioned is NULL.
  package private(set) var tables: [String: [[SeedValue]: [String: SeedValue]]] = [:]

  package init() {}

  /// Takes one document in.
  package mutating func take(_ document: JSONValue) {
    for row in document.elements ?? [] { takeParent(row) }
  }

  private mutating func takeParent(_ row: JSONValue) {
    guard let id = Self.value(row["id"]), id != .null else { return }
    var columns = plain(row, ["a", "b"])
    if let owner = row["owner"] {
      if owner.members == nil {
        columns["owner"] = Self.value(owner)
      } else {
        guard let key = Self.value(owner["id"]), key != .null else { return }
        columns["owner"] = key
        merge("owner", [key], plain(owner, ["name"]))
      }
    }
    merge("parent", [id], columns)
    for child in row["children"]?.elements ?? [] {
      guard let number = Self.value(child["n"]), number != .null else { continue }
      merge("child", [id, number], plain(child, ["v"]))
    }
  }

  private mutating func merge(_ table: String, _ key: [SeedValue], _ columns: [String: SeedValue]) {
    tables[table, default: [:]][key, default: [:]].merge(columns) { $1 }
  }

  private func plain(_ object: JSONValue, _ names: [String]) -> [String: SeedValue] {
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

/// Random documents for ``ImportReference``, with recurring objects, missing members and bad rows.
package enum ImportDocuments {
  /// One document.
  package static func random(_ random: inout SplitMix) -> JSONValue {
    .array((0..<Int.random(in: 0...30, using: &random)).map { _ in parent(&random) })
  }

  private static func parent(_ random: inout SplitMix) -> JSONValue {
    var members: [JSONMember] = []
    if !random.chance(5) { members.append(JSONMember("id", key(12, &random))) }
    for name in ["a", "b", "unknown"] where random.chance(70) {
      members.append(JSONMember(name, text(&random)))
    }
    if random.chance(60) { members.append(JSONMember("owner", owner(&random))) }
    if random.chance(50) {
      let children = (0..<Int.random(in: 0...4, using: &random)).map { _ in child(&random) }
      members.append(JSONMember("children", .array(children)))
    }
    return .object(random.chance(50) ? members : members.shuffled(using: &random))
  }

  private static func owner(_ random: inout SplitMix) -> JSONValue {
    if random.chance(20) { return random.chance(50) ? .null : key(4, &random) }
    var members = random.chance(4) ? [] : [JSONMember("id", key(4, &random))]
    if random.chance(80) { members.append(JSONMember("name", text(&random))) }
    return .object(members)
  }

  private static func child(_ random: inout SplitMix) -> JSONValue {
    var members = random.chance(5) ? [] : [JSONMember("n", key(3, &random))]
    if random.chance(80) { members.append(JSONMember("v", text(&random))) }
    return .object(members)
  }

  private static func key(_ count: Int64, _ random: inout SplitMix) -> JSONValue {
    .integer(Int64.random(in: 1...count, using: &random))
  }

  private static func text(_ random: inout SplitMix) -> JSONValue {
    random.pick([
      .null, "", "x", "é\u{0}\"\\", "007", "a longer text that does not fit in one word", 42,
      .real(0.1), .real(-1e300), .real(1_234_567_890_123_456),
    ])
  }
}
