import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite(.serialized) struct ImportFeedFaultTests {
  static let sample = 10

  @Test func `an import of several files that dies leaves whole batches, and the same command completes it`()
    throws
  {
    let (scene, injector) = (try FeedScene(), try FaultInjector())
    try scene.restore()
    let count = try injector.count(scene.arguments, in: scene.folder.path)
    let (after, rejected) = (try scene.rows, try scene.rejected)
    #expect(count > 100, "\(count) operations")
    #expect(try scene.committed == FeedScene.rowCount)
    #expect(rejected.map(\.place) == FeedScene.rejectedPlaces)
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample) {
      try scene.restore()
      let outcome = try injector.run(scene.arguments, fault, at: point, in: scene.folder.path)
      expect(
        scene, after, rejected,
        "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)")
    }
  }

  private func expect(
    _ scene: FeedScene, _ after: [String], _ rejected: [FeedScene.Reject], _ what: String
  ) {
    do {
      let committed = try scene.committed
      #expect(
        committed.isMultiple(of: FeedScene.batchRows) || committed == FeedScene.rowCount,
        "\(what): \(committed) rows are no whole batch")
      let kept = try scene.rejected
      #expect(
        rejected.filter { $0.place < committed }.allSatisfy(kept.contains),
        "\(what): a rejected row of \(committed) is lost")
      try SeedbankBinary.succeed(scene.arguments, in: scene.folder.path)
      #expect(try scene.rows == after, "\(what): running it again does not complete it")
      #expect(try scene.rejected == rejected, "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }
}

/// Shops in JSON, items in CSV and sales in lines, with references between the files and some bad rows.
private struct FeedScene {
  static let rowsEach = 24
  static let rowCount = 3 * rowsEach
  /// Batches end within files and span two files.
  static let batchRows = 7
  /// Counted over all files. No batch ends with a rejected row, so the imported rows show how far an import came.
  static let rejectedPlaces = [4, 9, 14, 26, 31, 36, 52, 57, 64]

  /// A line of the reject file with its row's place, counted over all files.
  struct Reject: Equatable {
    let place: Int
    let line: String
  }

  let folder: TemporaryFolder
  let arguments = [
    "import", "shops.json", "items.csv", "sales.ndjson", "--mapping", "map.json", "--database", "app.sqlite",
    "--batch", "\(batchRows)", "--bad-rows", "skip", "--rejects", "bad.ndjson",
  ]

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Tool.sqlite(
      folder("saved.sqlite"),
      """
      CREATE TABLE item(code TEXT PRIMARY KEY NOT NULL, shop INTEGER NOT NULL REFERENCES shop(id), price REAL)
        WITHOUT ROWID;
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, best TEXT REFERENCES item(code));
      CREATE TABLE sale(id INTEGER PRIMARY KEY, item TEXT NOT NULL REFERENCES item(code), amount INTEGER NOT NULL);
      CREATE TABLE part(sale INTEGER NOT NULL REFERENCES sale(id), n INTEGER NOT NULL, PRIMARY KEY (sale, n));
      INSERT INTO shop SELECT value * 3, 'old ' || value, NULL FROM generate_series(1, 5);
      INSERT INTO shop VALUES (1000, 'taken', NULL);
      """)
    let numbers = 0..<Self.rowsEach
    try write("[\(numbers.map(Self.shop).joined(separator: ",\n"))]", "shops.json")
    try write("code,shop,price\n\(numbers.map(Self.item).joined())", "items.csv")
    try write(numbers.map(Self.sale).joined(), "sales.ndjson")
    try write(
      """
      {"lists": [
        {"file": "shops.json", "table": "shop"}, {"file": "items.csv", "layout": "csv", "table": "item"},
        {"file": "sales.ndjson", "layout": "lines", "table": "sale",
         "relations": [{"array": "parts", "table": {"table": "part"}, "parentKey": "sale"}]}]}
      """, "map.json")
  }

  private func write(_ text: String, _ name: String) throws {
    try folder.write(text, to: name)
  }

  // MARK: Rows

  /// Bad rows: a text as number, a duplicate unique name, and a missing name.
  private static func shop(_ number: Int) -> String {
    switch number {
    case 4: #"{"id":"x","name":"shop 4"}"#
    case 9: #"{"id":9,"name":"taken"}"#
    case 14: #"{"id":14}"#
    default: #"{"id":\#(number),"name":"shop \#(number)","best":"i\#(goodItem(number))"}"#
    }
  }

  /// Bad rows: too many columns, a price without digits, and a missing shop.
  private static func item(_ number: Int) -> String {
    switch rowsEach + number {
    case 26: "i\(number),1,2,3\n"
    case 31: "i\(number),1,cheap\n"
    case 36: "i\(number),,1\n"
    default: "i\(number),\(number == 4 || number == 14 ? 1 : number),\(number).5\n"
    }
  }

  /// Bad rows: invalid JSON and a missing amount; one sale loses only a bad part.
  private static func sale(_ number: Int) -> String {
    let start = #"{"id":\#(number),"item":"i\#(goodItem(number))""#
    switch 2 * rowsEach + number {
    case 52: return "\(start);}\n"
    case 57: return "\(start)}\n"
    case 64: return start + #","amount":1,"parts":[{"n":1},{"n":"x"},{"n":2}]}"# + "\n"
    default: return start + #","amount":\#(number),"parts":[{"n":\#(number)}]}"# + "\n"
    }
  }

  private static func goodItem(_ number: Int) -> Int {
    rejectedPlaces.contains(rowsEach + number) ? number + 1 : number
  }

  // MARK: Results

  func restore() throws { try ImportFaultTests.Scene.restore(folder) }

  var rows: [String] {
    get throws {
      let lines = try Tool.sqlite(
        folder("app.sqlite"),
        """
        PRAGMA integrity_check; SELECT 'shop', * FROM shop ORDER BY id; SELECT 'item', * FROM item ORDER BY code;
        SELECT 'sale', * FROM sale ORDER BY id; SELECT 'part', * FROM part ORDER BY sale, n;
        """
      ).split(separator: "\n").map(String.init)
      guard lines.first == "ok" else { throw ImportFaultTests.Scene.Damaged(words: lines.first ?? "") }
      return Array(lines.dropFirst())
    }
  }

  /// The number of document rows that are imported, or rejected before an imported one.
  var committed: Int {
    get throws {
      let rows = try rows.filter { ["shop|", "item|", "sale|"].contains($0.prefix(5)) }
      let imported = rows.filter { !$0.contains("|old ") && !$0.contains("|taken|") }.count
      var places = (0..<Self.rowCount).filter { !Self.rejectedPlaces.contains($0) || $0 == 64 }
      places.insert(-1, at: 0)
      return places[imported] + 1
    }
  }

  var rejected: [Reject] {
    get throws {
      guard folder.exists("bad.ndjson") else { return [] }
      let text = try folder.text("bad.ndjson")
      return text.split(separator: "\n").map(String.init).compactMap(Self.reject)
    }
  }

  private static func reject(_ line: String) -> Reject? {
    guard let value = try? JSONValue(parsing: Array(line.utf8)), let row = value["row"]?.integer,
      let list = value["list"]?.integer
    else { return nil }
    return Reject(place: list * rowsEach + row - 1, line: line)
  }
}
