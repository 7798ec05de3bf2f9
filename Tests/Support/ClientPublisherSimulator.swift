import Foundation
package import SeedClient
package import SeedClientTesting
package import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// A publisher and server in memory with a fixed schema, which can restore a backup and tamper with its publication.
/// Tests await each call, so publishing and serving never overlap.
package final class ClientPublisherSimulator: @unchecked Sendable {
  package static let schemaSQL = """
    CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, lat REAL);
    CREATE TABLE line(id INTEGER PRIMARY KEY, stop TEXT NOT NULL REFERENCES stop(id), colour TEXT);
    CREATE INDEX line_stop ON line(stop);
    """
  package static let model: ModelVersion = "2.1"
  /// A column of stops: "A" in old rows, "B" in those published later.
  package static let addedZone = ["ALTER TABLE stop ADD COLUMN zone TEXT DEFAULT 'A'"]
  package static let series = SeedSeries("transit", model: model)

  /// The names at the head by stop id.
  package private(set) var stops: [String: String] = [:]
  private let publication: TestPublication

  /// A publisher without a publication, at a fixed time.
  package init(now: UTCTime = UTCTime(secondsSinceEpoch: 1_785_585_600)) throws {
    publication = try TestPublication(
      Self.series.dataset, Self.model, schemaSQL: Self.schemaSQL,
      Provenance(license: "CC0-1.0", attribution: "Stadtwerke"), now: now)
  }

  package var root: [UInt8] { publication.root }
  package var schema: DatabaseSchema { publication.schema }
  package var now: UTCTime { publication.now }
  package var objects: [PublishedObject] { publication.objects }
  /// The head's version; 0 before the first publication.
  package var head: Int { publication.head }
  package var pollSeconds: Int {
    get { publication.pollSeconds }
    set { publication.pollSeconds = newValue }
  }
  package var lifecycle: SeedLifecycle {
    get { publication.lifecycle }
    set { publication.lifecycle = newValue }
  }
  package var provenance: Provenance {
    get { publication.provenance }
    set { publication.provenance = newValue }
  }
  package var leavesIndexesOut: Bool {
    get { publication.leavesIndexesOut }
    set { publication.leavesIndexesOut = newValue }
  }

  // MARK: Publishing

  /// Publishes a delta that gives the stops in `upserts` these names.
  package func publish(_ upserts: [String: String], deleting deleted: [String] = []) throws {
    let more = schema.tables[1].columns.dropFirst(3).map { _ in SeedValue.text("B") }
    let rows = upserts.sorted { $0.key < $1.key }.map { id, name in
      [SeedValue.text(id), .text(name), .real(52.5)] + more
    }
    let keys = deleted.sorted().map { [SeedValue.text($0)] }
    try publication.publish([TableEdit(schema.tables[1], upserts: rows, deletes: keys)])
    for id in deleted { stops[id] = nil }
    stops.merge(upserts) { $1 }
  }

  /// Begins the next minor by a delta.
  package func beginMinor(adding statements: [String] = ClientPublisherSimulator.addedZone) throws {
    try publication.begin("2.2", adding: statements)
  }

  package func publishSnapshot(_ encoding: ContentEncoding = .gzip) throws {
    try publication.publishSnapshot(encoding)
  }

  /// Starts a new history with the existing rows and a snapshot at version 1.
  package func startEpoch() throws { try publication.startEpoch() }

  /// Advances the time of client and publisher.
  package func pass(days: Int) { publication.now = now.adding(days: days) }

  /// Negative for a clock that is set back.
  package func pass(seconds: Int) { publication.now = now.adding(seconds: seconds) }

  /// Signs all metadata again at the current time.
  package func sign() throws { try publication.sign() }

  /// The metadata files for `metadata`, which is not published.
  package func signed(_ metadata: SeriesMetadata) throws -> [String: [UInt8]] {
    try publication.signed(metadata)
  }

  package func metadata() throws -> SeriesMetadata { try publication.metadata() }

  /// Accesses the served files and the log of requests.
  package func withServed<Result: Sendable>(_ body: (inout MemoryHost.Served) -> Result) -> Result {
    publication.host.withServed(body)
  }

  // MARK: Tampering

  /// Removes objects, as retention does.
  package func withdraw(where isGone: (PublishedObject) -> Bool) throws {
    publication.objects.removeAll(where: isGone)
    try sign()
  }

  /// Signs changed descriptions of the objects, as a defective or hostile publisher could.
  package func resign(_ change: (PublishedObject) -> PublishedObject) throws {
    publication.objects = objects.map(change)
    try sign()
  }

  /// Signs other bytes for an object under its old description.
  package func replace(
    _ old: PublishedObject, by stored: [UInt8], raw: Compression.Measure, _ encoding: ContentEncoding? = nil
  ) throws {
    let new = PublishedObject(
      series: old.series, kind: old.kind.encoded(as: encoding ?? old.encoding), length: stored.count,
      sha256: .of(stored), model: old.model,
      rawLength: raw.length, rawSHA256: old.rawSHA256.map { _ in raw.sha256 }, schema: old.schema,
      schemaBefore: old.schemaBefore, digest: old.digest)
    withServed { served in
      served.files[old.filePath] = nil
      served.files[new.filePath] = stored
    }
    try resign { $0 == old ? new : $0 }
  }

  /// Changes the bytes of a signed file.
  package func tamper(_ object: PublishedObject, _ change: (inout [UInt8]) -> Void) {
    withServed { served in
      var bytes = served.files[object.filePath] ?? []
      change(&bytes)
      served.files[object.filePath] = bytes
    }
  }

  // MARK: Backups

  package struct Backup {
    fileprivate let published: PublishedMetadata
    fileprivate let copy: String
    fileprivate let objects: [PublishedObject]
    fileprivate let head: Int
    fileprivate let stops: [String: String]
  }

  package func backUp() throws -> Backup {
    let path = publication.newCopyPath()
    try publication.copy.vacuum(into: path)
    return Backup(
      published: publication.published, copy: path, objects: objects, head: head, stops: stops)
  }

  /// Continues from a backup, as if nothing had been published since.
  package func restore(_ backup: Backup) throws {
    (publication.published, publication.objects) = (backup.published, backup.objects)
    (publication.head, stops) = (backup.head, backup.stops)
    publication.copy = try Connection(backup.copy, .writer)
  }
}

extension ClientPublisherSimulator: Transport {
  package func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    try await publication.host.send(request, to: receiver)
  }
}
