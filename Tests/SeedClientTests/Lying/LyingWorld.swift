import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support

@testable import SeedClient

/// A publication whose head, version 2, is reached only by its snapshot, and a device with version 1.
struct LyingWorld {
  private static let schemaSQL = """
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL UNIQUE);
    CREATE TABLE line(number TEXT PRIMARY KEY NOT NULL, stop INTEGER NOT NULL REFERENCES stop(id), colour TEXT)
      WITHOUT ROWID;
    CREATE INDEX line_stop ON line(stop);
    CREATE VIRTUAL TABLE stop_search USING fts5(name, content=stop, content_rowid=id);
    """
  /// Enough rows for several pages.
  static let stops = 150
  private static let model: ModelVersion = "2.1"

  let encoding: ContentEncoding
  let leavesIndexesOut: Bool
  let snapshot: PublishedObject
  /// The snapshot's stored bytes and its file.
  let stored, raw: [UInt8]
  /// Files that could be published in the snapshot's place.
  let others: [[UInt8]]
  private let publication: TestPublication
  private let served: [String: [UInt8]]
  private let template: TemporaryFolder

  init(_ encoding: ContentEncoding, leavesIndexesOut: Bool) async throws {
    (self.encoding, self.leavesIndexesOut) = (encoding, leavesIndexesOut)
    template = try TemporaryFolder(inMemory: true)
    publication = try TestPublication(
      "transit", Self.model, schemaSQL: Self.schemaSQL, Provenance(license: "CC0-1.0"),
      now: UTCTime(secondsSinceEpoch: 1_785_585_600))
    publication.leavesIndexesOut = leavesIndexesOut
    try publication.publish(Self.edits(publication.schema, "Old"))
    let first = publication.host.withServed { $0.files }
    let device = try Self.store(publication, StaticHost(files: first), template("store"))
    try await device.update()
    await device.close()
    try publication.publish(Self.edits(publication.schema, "New"))
    try publication.publishSnapshot(encoding)
    served = publication.host.withServed { $0.files }
    snapshot = publication.objects[publication.objects.count - 1]
    stored = served[snapshot.filePath] ?? []
    try DurableFile.write(stored, to: template("stored"))
    _ = try Compression.expand(template("stored"), to: template("raw"), encoding, limit: snapshot.rawLength)
    raw = try DurableFile.read(template("raw"), limit: snapshot.rawLength)
    others = publication.objects.dropLast().compactMap { [served] in served[$0.filePath] } + [raw]
  }

  private static func edits(_ schema: DatabaseSchema, _ name: String) -> [TableEdit] {
    let numbers = 1...Int64(stops)
    return [
      TableEdit(
        schema.tables[1],
        upserts: numbers.map { [.integer($0), .text("\(name) \($0)"), .text("code-\($0)")] }),
      TableEdit(schema.tables[0], upserts: numbers.map { [.text("U\($0)"), .integer($0), .text("red")] }),
    ]
  }

  /// The publication with the content in place of the snapshot's, signed.
  func files(with content: SignedContent) throws -> [String: [UInt8]] {
    let truth = try publication.metadata()
    let lie = snapshot.with(file: content)
    let signed = try publication.signed(
      SeriesMetadata(series: truth.series, state: truth.state, objects: [lie]))
    return served.merging(signed) { $1 }.merging([lie.filePath: content.stored]) { $1 }
  }

  // MARK: Clients

  func copyDevice(to path: String) throws {
    try FileManager.default.copyItem(atPath: template("store"), toPath: path)
  }

  /// A store that asks a server with these files; without files there is no server.
  func store(
    _ files: [String: [UInt8]]?, bundle: String? = nil, in directory: String, provesRows: Bool = true
  ) throws -> SeedStore {
    try Self.store(publication, StaticHost(files: files), directory, bundle: bundle, provesRows: provesRows)
  }

  func maker(_ files: [String: [UInt8]], _ directory: String) throws -> BundleMaker {
    try BundleMaker(
      Self.model(publication), server: Self.server, root: publication.root, directory: directory,
      environment: Self.environment(publication, StaticHost(files: files)))
  }

  /// Writes the folder that an app ships.
  func writeBundle(_ files: [String: [UInt8]], to directory: String) throws {
    for (name, bytes) in files {
      let file = URL(filePath: "\(directory)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  private static let server = URL(string: "http://seeds.example")!

  private static func model(_ publication: TestPublication) -> SeedModel {
    SeedModel(dataset: "transit", version: model, schema: publication.schema.hash)
  }

  private static func store(
    _ publication: TestPublication, _ host: StaticHost, _ directory: String, bundle: String? = nil,
    provesRows: Bool = true
  ) throws -> SeedStore {
    var options = SeedOptions()
    options.provesRows = provesRows
    return try SeedStore(
      model(publication), server: server, root: publication.root, bundle: bundle, directory: directory,
      options: options, environment: environment(publication, host))
  }

  private static func environment(_ publication: TestPublication, _ host: StaticHost) -> Environment {
    Environment(transport: host, now: { [now = publication.now] in now }, sleep: { _ in await Task.yield() })
  }
}
