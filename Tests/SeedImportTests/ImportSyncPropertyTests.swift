import SeedFormat
import SeedImport
import Support
import Testing

/// Random relations that grow, shrink and move, compared with a slow model of the newest records.
@Suite struct ImportSyncPropertyTests {
  private static let schema = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, a TEXT CHECK (a <> 'bad'));
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, v TEXT CHECK (v <> 'bad'));
    CREATE TABLE pair(parent INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (parent, tag)) WITHOUT ROWID;
    CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
    """
  private static let index = "CREATE INDEX byParent ON child(parent);"
  private static let mapping = ImportMapping(
    TableMapping(
      "parent",
      relations: [
        .array("children", "child", parentKey: ["parent"], mode: .replaceForParent),
        .join(
          "tags", TableMapping("tag", columns: ["name": "$"]), through: "pair", parentKey: ["parent"],
          elementKey: ["tag"], layout: .dictionary(keyColumn: nil), mode: .replaceForParent),
      ]))

  private static let seeds = Array(1...(Stage.pick(quick: 1, full: 6, deep: 100))) as [UInt64]

  /// With an index on the parent's key, without one, and with rows written one by one.
  @Test(
    arguments: [("", .batches), (Self.index, .batches), ("", .singleRows)] as [(String, ImportWay)], seeds)
  func `each parent has the rows that its newest record names`(variant: (String, ImportWay), seed: UInt64)
    throws
  {
    var random = SplitMix(seed: seed)
    let bench = try ImportBench(variant.1.schema(Self.schema + variant.0, list: "parent"))
    var model = SyncModel()
    for round in 0..<Stage.pick(quick: 20, full: 40, deep: 40) {
      let records = (0..<Int.random(in: 0...20, using: &random)).map { _ in SyncRecord(&random) }
      let text = "[\(records.map(\.json).joined(separator: ","))]"
      model.take(records)
      try bench.run(
        text, mapping: variant.1.mapping(Self.mapping),
        policy: ImportPolicy(badRows: .collect, references: .keep),
        pieces: random.pick([7, 400, 100_000]))
      let place = "seed \(seed), round \(round): \(text)"
      let children = try Set(bench.rows("SELECT id, parent, v FROM child"))
      try #require(children == model.childRows, "\(place)")
      let pairs = try Set(bench.rows("SELECT * FROM pair"))
      try #require(pairs == model.pairs, "\(place)")
    }
  }
}

private struct SyncRecord {
  var id: Int?
  var isBad = false
  /// The row's key, if it has one, and its value; `nil` if the member is missing.
  var children: [(id: Int?, value: String?)]?
  var tags: [(name: String, isThere: Bool)]?

  init(_ random: inout SplitMix) {
    id = random.chance(4) ? nil : Int.random(in: 1...6, using: &random)
    isBad = random.chance(5)
    if random.chance(70) {
      children = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        (
          random.chance(3) ? nil : Int.random(in: 1...15, using: &random),
          random.pick([nil, "x", "y", "x", "y", "bad"])
        )
      }
    }
    if random.chance(70) {
      tags = ["r", "g", "b"].filter { _ in random.chance(60) }.map { ($0, !random.chance(30)) }
    }
  }

  var json: String {
    var members = [#""a": "\#(isBad ? "bad" : "ok")""#]
    if let id { members.append("\"id\": \(id)") }
    if let children {
      let rows = children.map { child in
        let parts = [child.id.map { "\"id\": \($0)" }, child.value.map { "\"v\": \"\($0)\"" }]
        return "{\(parts.compactMap(\.self).joined(separator: ", "))}"
      }
      members.append("\"children\": \(rows.isEmpty ? "null" : "[\(rows.joined(separator: ", "))]")")
    }
    if let tags {
      members.append("\"tags\": {\(tags.map { "\"\($0.name)\": \($0.isThere)" }.joined(separator: ", "))}")
    }
    return "{\(members.joined(separator: ", "))}"
  }
}

/// A model of the newest records in order.
private struct SyncModel {
  private var children: [Int: (parent: Int, value: String?)] = [:]
  var pairs: Set<String> = []

  mutating func take(_ records: [SyncRecord]) {
    // The newest record number of each parent; `nil` if a row's key was not known.
    var claims: [Int: Int?] = [:]
    var latest: [Int: Int] = [:]
    var tagClaims: [Int: Set<String>] = [:]
    for (number, record) in records.enumerated() {
      guard let id = record.id, !record.isBad else { continue }
      if let children = record.children {
        claims[id] = .some(children.contains { $0.id == nil } ? nil : number)
        for child in children {
          guard let key = child.id else { continue }
          latest[key] = number
          if child.value == "bad" { continue }
          self.children[key] = (id, child.value ?? self.children[key]?.value)
        }
      }
      guard let tags = record.tags else { continue }
      let there = tags.filter(\.isThere).map { "\(id)|\($0.name)" }
      pairs.formUnion(there)
      tagClaims[id] = Set(there)
    }
    children = children.filter { key, row in
      guard let claim = claims[row.parent], let number = claim else { return true }
      return (latest[key] ?? -1) >= number
    }
    pairs = pairs.filter { pair in
      let parent = Int(pair.prefix { $0 != "|" }) ?? 0
      return tagClaims[parent]?.contains(pair) ?? true
    }
  }

  var childRows: Set<String> {
    Set(children.map { "\($0.key)|\($0.value.parent)|\($0.value.value ?? "NULL")" })
  }
}
