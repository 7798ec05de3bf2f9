import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support

/// An earlier store, a host that has newer versions, and the digests of all published versions.
final class StoreScene {
  enum Step: String, CaseIterable {
    case firstStart
    /// Replaces the data with a snapshot.
    case swap
    case apply
    /// The same deltas for an app that was updated to the minor before its data.
    case applyByUpdatedApp
    /// Only removes old generations, downloads and temporary files.
    case collect
  }

  private static let deltas = Stage.pick(quick: 6, full: 14, deep: 14)
  /// The next delta begins a minor with a column, whose values it fills, and an index.
  private static let minor = deltas - 2
  private static let items = Stage.pick(quick: 2000, full: 6000, deep: 6000)

  /// Tests run one after the other.
  private nonisolated(unsafe) static var made: [Step: StoreScene] = [:]

  /// Returns the scene of this step with its earlier store; it is made once.
  static func restored(_ step: Step) throws -> StoreScene {
    if made.isEmpty { atexit { StoreScene.made = [:] } }
    let scene = try made[step] ?? StoreScene(step)
    made[step] = scene
    try scene.restore()
    return scene
  }

  let folder: TemporaryFolder
  let step: Step
  private(set) var pull: [String]
  private var digests: [SeedVersion: SHA256Digest] = [:]
  private let host: FolderHost
  private let series: SeedSeries

  private init(_ step: Step) throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Self.template.fill(folder) { try Self.found(folder) }
    (self.step, self.folder) = (step, folder)
    series = try SeedSeries("my", major: 1)
    host = try FolderHost(folder("seedbank/publication"))
    pull = SeedbankBinary.pull(host.address, into: "store")
    try learn()
    try folder.makeFolder("saved")
    if step != .firstStart { try save() }
    try goOn()
    if step == .applyByUpdatedApp { pull = pull.map { $0 == "1.0" ? "1.1" : $0 } }
  }

  private static let template = FolderTemplate()

  private static func found(_ folder: TemporaryFolder) throws {
    try folder.sqlite(
      "my.sqlite",
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT UNIQUE, rank REAL);
      CREATE TABLE item(shop INTEGER REFERENCES shop, code TEXT, photo BLOB, PRIMARY KEY(shop, code)) WITHOUT ROWID;
      CREATE INDEX item_by_code ON item(code);
      INSERT INTO shop SELECT value, 'shop ' || value, 0.5 FROM generate_series(0, 99);
      INSERT INTO item SELECT value % 100, 'code ' || value, randomblob(40) FROM generate_series(1, \(items));
      """)
    try folder.succeed("init", "my.sqlite")
    // A client step that can fail: building the indexes.
    try folder.edit("seedbank/my/dataset.json") {
      $0.replacing("\"encodings\"", with: "\"indexes\": \"client\", \"encodings\"")
    }
    try folder.succeed("regenerate", "--snapshot")
  }

  var head: SeedVersion { digests.keys.max() ?? .first }

  func restore() throws {
    try folder.replace("store", by: "saved")
  }

  private func save() throws {
    try SeedbankBinary.succeed(pull, in: folder.path)
    try folder.replace("saved", by: "store")
  }

  private func goOn() throws {
    switch step {
    case .firstStart, .swap:
      try publish("UPDATE item SET photo = randomblob(40)")
      try publish("UPDATE item SET photo = randomblob(41); UPDATE shop SET rank = id")
    case .apply, .applyByUpdatedApp:
      for number in 1...Self.deltas {
        try publish(
          """
          UPDATE shop SET name = 'name ' || \(number) || '.' || id WHERE id % \(Self.deltas) = \(number % Self.deltas);
          DELETE FROM item WHERE code LIKE '%\(number)7'; UPDATE item SET photo = randomblob(30) WHERE shop = \(number);
          """)
        if number == Self.minor { try beginMinor() }
      }
    case .collect: try leave()
    }
  }

  private func publish(_ sql: String) throws {
    try Tool.sqlite(folder("my.sqlite"), sql)
    let snapshot = [.firstStart, .swap].contains(step) ? ["--snapshot"] : []
    try SeedbankBinary.succeed(["regenerate"] + snapshot, in: folder.path)
    try learn()
  }

  private func beginMinor() throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      ALTER TABLE shop ADD COLUMN phone TEXT DEFAULT 'none'; CREATE INDEX shop_by_phone ON shop(phone);
      UPDATE shop SET phone = 'phone ' || id WHERE id % 3 > 0
      """)
    try folder.succeed("model", "new")
  }

  /// Adds leftovers of crashes and of finished readers.
  private func leave() throws {
    let current = try folder.text("saved/CURRENT")
    let live = folder("saved/generations/\(current.trimmingCharacters(in: .newlines))")
    for name in ["1-00aa", "1-00bb", "1-00cc"] {
      try Tool.run(["cp", "-a", live, folder("saved/generations/\(name)")])
    }
    try Tool.run(["rm", folder("saved/generations/1-00cc/generation.json")])
    for name in ["partial/0123", "trust/root.json.tmp", "CURRENT.tmp", "STATE.tmp"] {
      try folder.write("half", to: "saved/\(name)")
    }
  }

  private func learn() throws {
    let publication = PublicationDirectory(folder("seedbank/publication"))
    for object in try publication.published().series[series]?.metadata.objects ?? [] {
      digests[object.version] = object.digest
    }
  }

  // MARK: Contents of a store

  /// Returns the version of the store after checking its rows against the published digest, or `nil` if it is empty.
  func version(in store: String) throws -> SeedVersion? {
    guard let name = try? String(contentsOfFile: "\(store)/CURRENT", encoding: .utf8) else { return nil }
    let file = "\(store)/generations/\(name.trimmingCharacters(in: .newlines))/seed.sqlite"
    guard let header = try DurableFile.start(of: file, 20), header[18..<20] == [2, 2] else {
      throw NotASeed("its readers would block the writer: it is not in WAL mode")
    }
    let seed = try Connection(file, .reader)
    let schema = try SchemaReader(seed).schema()
    try SeedCheck(seed, schema).run()
    let meta = try SeedTables.meta(seed)
    guard schema.indexes.contains("item_by_code"), meta.schema == schema.hash else {
      throw NotASeed("it lacks an index, or has another schema")
    }
    guard digests[meta.version] == meta.digest else {
      throw NotASeed("version \(meta.version) was not published with the digest \(meta.digest)")
    }
    return meta.version
  }
}
