import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import Support

/// A deployment as in the article on keys: two of three root keys must sign, and each root and targets key is on its
/// own medium. It has clients from the first version and a movable clock.
final class KeyScene {
  let folder: TemporaryFolder
  /// Days by which every command's clock is ahead.
  var days = 0
  private var changes = 0
  private let moved: MovedClock
  private let host: FolderHost
  private static let template = FolderTemplate()

  /// The article's variables and their folders.
  private static let media = [
    "ROOT_A": "a", "ROOT_B": "b", "ROOT_C": "c", "ROOT_NEW": "new", "TARGETS": "t", "NEW_A": "na",
    "NEW_B": "nb", "NEW_C": "nc",
  ]

  init() throws {
    (folder, moved) = (try TemporaryFolder(inMemory: true), try MovedClock())
    host = try FolderHost(folder("seedbank/publication"))
    try Self.template.fill(folder, make)
  }

  private func make() throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO shop SELECT value, 'shop ' || hex(randomblob(40)) FROM generate_series(1, 300);
      """)
    for name in Self.media.values { try Folder.create(folder(name)) }
    try type("Begin with several root keys")
    try follow(("early", "seedbank/root.json"))
    try Tool.run(["cp", folder("seedbank/root.json"), folder(Self.shippedRoot)])
  }

  var publication: PublicationDirectory { PublicationDirectory(folder("seedbank/publication")) }

  private func environment(_ more: [String: String]) -> [String: String] {
    OperatorsMachine.environment.merging(Self.media.mapValues { folder($0) }) { $1 }.merging(more) { $1 }
  }

  /// Runs a script under the scene's clock; throws its output if a line fails.
  @discardableResult
  func shell(_ script: String, _ more: [String: String] = [:]) throws -> String {
    try Tool.run(
      clock + ["bash", "-euo", "pipefail", "-c", script], in: folder.path, environment: environment(more))
  }

  /// The words that move the clock for a program and its children.
  private var clock: [String] { moved.words(seconds: days * MovedClock.secondsPerDay) }

  /// Runs the commands under a heading of the article on keys.
  @discardableResult
  func type(_ heading: String, _ more: [String: String] = [:]) throws -> String {
    try OperatorArticle("KeysAndRecovery").typed(under: heading).map { try shell($0.text, more) }.joined()
  }

  func publish() throws {
    changes += 1
    try Tool.sqlite(folder("my.sqlite"), "UPDATE shop SET name = 'change \(changes)' WHERE id = 1")
    try shell("seedbank regenerate")
  }

  static let shippedRoot = "shipped.json"

  /// Updates clients with these names and shipped roots from their earlier states: Seedbank's and independent ones.
  func follow(_ clients: (name: String, root: String)...) throws {
    let script = "\(Readme.package)/Tests/EndToEndTests/RoadTests/tuf_client.py"
    var judges = clients.map { [folder($0.root), folder("tuf-\($0.name)")] }
    judges[0].insert(contentsOf: ["my", "1"], at: 1)
    try Tool.run(
      clock + [Tool.python, script, "file://\(publication.path)"] + judges.joined(),
      environment: Tool.withoutBoto)
    for (name, root) in clients {
      try shell(
        "seedbank pull \(host.address) --dataset my --model 1.0 --store store-\(name) --root \(root)")
    }
  }

  /// Updates the first clients and new ones with this shipped root.
  func everybodyFollows(newRoot: String = shippedRoot) throws {
    try follow(("early", Self.shippedRoot), ("new-\(changes)-\(days)", newRoot))
  }

  func shop(_ name: String) throws -> String {
    try Tool.sqlite(Dump.file(ofStore: folder("store-\(name)")), "SELECT name FROM shop WHERE id = 1")
  }

  /// Counts the generations of a store, one per downloaded snapshot.
  func generations(_ name: String) throws -> Int {
    try Folder.names(in: folder("store-\(name)/generations")).count
  }

  func keyID(_ file: String) throws -> String {
    let key = try JSONValue(parsing: DurableFile.read(folder(file), limit: 4096))
    let all = try JSONValue(
      parsing: Array(
        shell(
          "seedbank keys status --json --with \"$ROOT_A\" --with \"$ROOT_B\" --with \"$ROOT_C\" --with \"$TARGETS\""
        ).utf8))
    let keys = (all["roles"]?.elements ?? []).flatMap { $0["keys"]?.elements ?? [] }
    let found = keys.first { $0["files"]?.elements?.contains(.string(folder(file))) == true }
    guard let id = found?["keyid"]?.string else {
      throw NotASeed("no id of \(key["public"]?.string ?? file)")
    }
    return id
  }
}
