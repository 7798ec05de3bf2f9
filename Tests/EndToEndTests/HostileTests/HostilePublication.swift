import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support

/// A publication whose attacker has the online keys, an app's database beside it, and everything that commands need.
final class HostilePublication {
  let deployment: OperatedDeployment
  let host: FolderHost
  private let truth: SeriesMetadata
  private let old: PublishedObject
  private let keys: KeyRing
  private let scratch: TemporaryFolder

  var folder: TemporaryFolder { deployment.folder }

  init() throws {
    scratch = try TemporaryFolder(inMemory: true)
    deployment = try OperatedDeployment(
      with: """
        CREATE INDEX shop_name ON shop(name);
        CREATE VIRTUAL TABLE shop_search USING fts5(name, content=shop, content_rowid=id);
        """)
    try deployment.configure("\"indexes\": \"client\"")
    try deployment.origin("UPDATE shop SET name = 'newest' WHERE id = 1")
    try deployment.folder.succeed("regenerate", "--snapshot")
    host = try FolderHost(deployment.publication.path)
    keys = try deployment.keys()
    let series = try SeedSeries("my", major: 1)
    guard let truth = try deployment.publication.published().series[series]?.metadata,
      let old = truth.newestSnapshot
    else { throw NeverHappened(what: "a snapshot") }
    (self.truth, self.old) = (truth, old)
    try makeSurroundings()
  }

  /// A device, a sound file, a second machine for `recover`, and the files that no command may touch.
  private func makeSurroundings() throws {
    try Tool.sqlite(folder("notes.sqlite"), "CREATE TABLE note(text); INSERT INTO note VALUES ('mine')")
    try SeedbankBinary.succeed(pull + ["--store", "device"], in: folder.path)
    try folder.succeed("export", "--to", "sound.sqlite")
    try Tool.run(["rm", "-r", folder("seedbank/state")])
    try Tool.run(["mkdir", folder("second")])
    for name in ["seedbank", "my.sqlite", "notes.sqlite"] {
      try Tool.run(["cp", "-a", folder(name), folder("second/\(name)")])
    }
  }

  var pull: [String] {
    SeedbankBinary.pull(host.address)
  }

  // MARK: The attack

  /// Publishes the newest snapshot with the text, correctly signed, and puts it onto the device. Returns its path.
  func publish(_ text: HostileText) throws -> String {
    let (path, packed) = (scratch("forged.sqlite"), scratch("forged.gz"))
    for file in [path, packed] { try Folder.remove(file) }
    _ = try Compression.expand(publication.file(old), to: path, .gzip, limit: old.rawLength)
    try Tool.sqlite(path, text.sql.replacing("NOTES", with: folder("notes.sqlite")))
    let schema = try nameSchema(of: path)
    let (raw, stored) = try Compression.compress(path, to: packed, .gzip)
    let forged = PublishedObject(
      series: old.series, kind: old.kind, length: stored.length, sha256: stored.sha256, model: old.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: schema, digest: old.digest,
      publishedAt: old.publishedAt)
    let file = publication.file(forged)
    if file != publication.file(old) { try Tool.run(["cp", packed, file]) }
    try sign(forged)
    let generation = try folder.text("device/CURRENT")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    for suffix in ["-wal", "-shm"] {
      try Folder.remove(folder("device/generations/\(generation)/seed.sqlite\(suffix)"))
    }
    try Tool.run(["cp", path, folder("device/generations/\(generation)/seed.sqlite")])
    return file
  }

  private var publication: PublicationDirectory { deployment.publication }

  /// The file's own hash, which the attacker signs; the true one if the file's schema has no hash.
  private func nameSchema(of path: String) throws -> SHA256Digest {
    guard let schema = try? SchemaReader(Connection(path, .snapshot)).schema().hash else { return old.schema }
    if schema != old.schema {
      // Impossible if the text replaced the table.
      try? Connection(path, .seed).execute(
        "UPDATE seedbank_meta SET value = ? WHERE key = 'schema'", .text(schema.hex))
    }
    return schema
  }

  private func sign(_ forged: PublishedObject) throws {
    var state = truth.state
    if forged.schema != old.schema {
      state.models[state.model] = forged.schema
      state.floor = state.head
    }
    let metadata = SeriesMetadata(
      series: truth.series, state: state, objects: truth.objects.filter { $0 != old } + [forged])
    let step = try RepositorySigner(now: .now()).publish(
      [metadata], after: try publication.published(), keys: keys)
    try publication.write(step.files)
  }
}
