import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import Support

/// A deployment with one published version and a changed origin, restored before each fault.
struct FaultScene {
  let folder: TemporaryFolder
  let series: SeedSeries
  let old: SeedRows
  let new: SeedRows

  static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json", "--snapshot"]

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    series = try SeedSeries("my", major: 1)
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT UNIQUE, rank REAL);
      CREATE TABLE item(shop INTEGER REFERENCES shop, code TEXT, photo BLOB, PRIMARY KEY(shop, code)) WITHOUT ROWID;
      CREATE INDEX item_by_code ON item(code);
      INSERT INTO shop VALUES (1, 'Tea', 1.5), (2, 'Coffee', NULL), (3, 'Cake', -1);
      INSERT INTO item SELECT 1 + value % 3, 'code ' || value, randomblob(40) FROM generate_series(1, 300);
      """)
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: folder.path)
    try Self.leaveIndexesToClients(folder)
    try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
    old = try PublicationProbe(publication: Self.publication(folder)).head(series)?.rows ?? [:]
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      UPDATE shop SET name = name || '!' WHERE id < 3; DELETE FROM item WHERE code LIKE '%7';
      INSERT INTO shop VALUES (4, 'Tea', 0); UPDATE item SET photo = x'00' WHERE shop = 2;
      """)
    try Tool.run(["cp", "-a", folder("seedbank"), folder("before")])
    try SeedbankBinary.succeed(Self.regenerate, in: folder.path)
    new = try PublicationProbe(publication: Self.publication(folder)).head(series)?.rows ?? [:]
    try Tool.run(["cp", "-a", folder("seedbank"), folder("after")])
  }

  /// Adds a client step that can fail: building the indexes.
  static func leaveIndexesToClients(_ folder: TemporaryFolder) throws {
    let dataset = folder("seedbank/my/dataset.json")
    let text = try String(contentsOfFile: dataset, encoding: .utf8)
    try text.replacing("\"encodings\"", with: "\"indexes\": \"client\", \"encodings\"")
      .write(toFile: dataset, atomically: true, encoding: .utf8)
  }

  var publication: PublicationDirectory { Self.publication(folder) }

  private static func publication(_ folder: TemporaryFolder) -> PublicationDirectory {
    PublicationDirectory(folder("seedbank/publication"))
  }

  func restore(_ saved: String, as name: String) throws {
    try Tool.run(["rm", "-rf", folder(name)])
    try Tool.run(["cp", "-a", folder(saved), folder(name)])
  }
}
