import Foundation
package import SeedClient
package import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// A publisher in memory that plays server to a client: its publications are real and really signed.
///
/// A test owns it and awaits each use, so that publishing and serving never meet; the mutex is for what is
/// served.
package final class ClientPublisherSimulator: @unchecked Sendable {
  package static let schemaSQL = """
    CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, lat REAL);
    CREATE TABLE line(id INTEGER PRIMARY KEY, stop TEXT NOT NULL REFERENCES stop(id), colour TEXT);
    CREATE INDEX line_stop ON line(stop);
    """
  package static let model: ModelVersion = "2.1"
  package static let series = Series("transit", model: model)

  package let root: [UInt8]
  package let schema: DatabaseSchema
  package private(set) var now: UTCTime
  package private(set) var objects: [PublishedObject] = []
  package private(set) var epoch = Epoch.random()
  package var pollSeconds = 60
  package var lifecycle = Lifecycle.active
  /// Whether snapshots ship without their secondary indexes.
  package var leavesIndexesOut = false
  /// The head's number; 0 before the first publication.
  package private(set) var head = 0
  /// The stops at the head, by id.
  package private(set) var stops: [String: String] = [:]
  private let folder: TemporaryFolder
  private let keys = KeyRing(
    Dictionary(uniqueKeysWithValues: KeyRole.allCases.map { ($0, [.generate()]) }))
  private var published: PublishedMetadata
  private var copy: Connection
  private let served = Mutex(Served())

  package struct Served: Sendable {
    package var files: [String: [UInt8]] = [:]
    package var requests: [String] = []
    package var isOffline = false
    /// Asked before each file goes out: a test can hold it back here.
    package var hold: (@Sendable (_ name: String) async throws -> Void)?
  }

  /// A publisher without publications, whose clock stands still at `now`.
  package init(now: UTCTime = UTCTime(secondsSinceEpoch: 1_785_585_600)) throws {
    folder = try TemporaryFolder()
    self.now = now
    schema = try SchemaReader.schema(of: Self.schemaSQL)
    let step = try RepositorySigner(now: now).create(delegating: [Self.series], keys: keys)
    published = step.published
    root = step.files[0].bytes
    copy = try Connection(folder("copy.sqlite"), .creator)
    write(step)
    try startCopy()
  }

  // MARK: Publishing

  /// A delta and a new head: the stops named here get these names, the others go.
  package func publish(_ upserts: [String: String], deleting deleted: [String] = []) throws {
    guard let from = head == 0 ? nil : try Version(head) else {
      _ = try importRows(upserts, deleted)
      head = 1
      return try publishSnapshot()
    }
    var changes = DeltaWriter()
    let table = schema.tables[1]
    changes.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
    for id in deleted.sorted() { changes.delete([.text(id)]) }
    for id in upserts.keys.sorted() { changes.upsert(Self.row(id, upserts[id] ?? "")) }
    let digest = try importRows(upserts, deleted)
    head += 1
    let header = DeltaHeader(
      series: Self.series, model: Self.model, schema: schema.hash, from: from, to: try Version(head),
      digest: digest)
    try add(delta: changes.document(header), header)
    try sign()
  }

  /// The copy's rows as a snapshot at the head.
  package func publishSnapshot(_ encoding: ContentEncoding = .gzip) throws {
    try add(snapshot: folder("snapshot-\(head)-\(epoch.text).sqlite"), encoding)
    try sign()
  }

  /// A new history with the rows that there are, beginning with a snapshot at version 1.
  package func startEpoch() throws {
    (epoch, head, objects) = (.random(), 1, [])
    var meta = try SeedTables.meta(copy)
    (meta.epoch, meta.version) = (epoch, .first)
    try SeedTables.store(meta, copy)
    try publishSnapshot()
  }

  /// Forgets which objects there were, as retention does.
  package func withdraw(where isGone: (PublishedObject) -> Bool) throws {
    objects.removeAll(where: isGone)
    try sign()
  }

  /// Signs other words about the objects: what a defective or hostile publisher could.
  package func resign(_ change: (PublishedObject) -> PublishedObject) throws {
    objects = objects.map(change)
    try sign()
  }

  /// Signs other bytes in an object's place, and says the same of them as before.
  package func replace(_ old: PublishedObject, by stored: [UInt8], raw: Compression.Measure) throws {
    let new = PublishedObject(
      series: old.series, kind: old.kind, length: stored.count, sha256: .of(stored), model: old.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: old.schema, digest: old.digest)
    served.withLock { served in
      served.files[old.filePath] = nil
      served.files[new.filePath] = stored
    }
    try resign { $0 == old ? new : $0 }
  }

  /// Lets time pass on client and publisher alike.
  package func pass(days: Int) { now = now.adding(days: days) }

  /// Signs everything anew at the present time.
  package func sign() throws {
    write(try RepositorySigner(now: now).publish([try metadata()], after: published, keys: keys))
  }

  /// The metadata files of a publication that says this of the series; nothing of it is published.
  package func signed(_ metadata: SeriesMetadata) throws -> [String: [UInt8]] {
    let step = try RepositorySigner(now: now).publish([metadata], after: published, keys: keys)
    return Dictionary(uniqueKeysWithValues: step.files.map { ("metadata/\($0.name)", $0.bytes) })
  }

  /// What is signed about the series now.
  package func metadata() throws -> SeriesMetadata {
    let state = SeriesState(
      epoch: epoch, head: try Version(max(head, 1)), floor: .first, model: Self.model,
      models: [Self.model: schema.hash], lifecycle: lifecycle, publishedAt: now, pollSeconds: pollSeconds,
      license: "CC0-1.0",
      attribution: "Stadtwerke", source: nil)
    return SeriesMetadata(series: Self.series, state: state, objects: objects)
  }

  /// A delta's or snapshot's file with other bytes in the place of those that were signed.
  package func tamper(_ object: PublishedObject, _ change: (inout [UInt8]) -> Void) {
    served.withLock { served in
      var bytes = served.files[object.filePath] ?? []
      change(&bytes)
      served.files[object.filePath] = bytes
    }
  }

  /// What clients can see and what they asked for.
  package func withServed<Result>(_ body: (inout Served) -> Result) -> Result {
    served.withLock { body(&$0) }
  }

  // MARK: Backups

  /// All that a publisher's backup holds.
  package struct Backup {
    fileprivate let published: PublishedMetadata
    fileprivate let copy: String
    fileprivate let objects: [PublishedObject]
    fileprivate let head: Int
    fileprivate let stops: [String: String]
  }

  /// The publication as it is now.
  package func backUp() throws -> Backup {
    let path = folder("backup-\(UUID().uuidString).sqlite")
    try copy.execute("VACUUM INTO ?", .text(path))
    return Backup(published: published, copy: path, objects: objects, head: head, stops: stops)
  }

  /// Goes on from a backup, as if nothing had been published since.
  package func restore(_ backup: Backup) throws {
    (published, objects, head, stops) = (backup.published, backup.objects, backup.head, backup.stops)
    copy = try Connection(backup.copy, .writer)
  }

  // MARK: Parts

  private static func row(_ id: String, _ name: String) -> [SeedValue] {
    [.text(id), .text(name), .real(52.5)]
  }

  private func startCopy() throws {
    try copy.execute(Self.schemaSQL)
    let meta = SeedMeta(
      series: Self.series, model: Self.model, epoch: epoch, version: .first, schema: schema.hash,
      digest: StateDigest.of([:]), provenance: Provenance(license: "CC0-1.0", attribution: "Stadtwerke"))
    try SeedTables.create(meta, schema.tables, copy)
  }

  private func importRows(_ upserts: [String: String], _ deleted: [String]) throws -> SHA256Digest {
    for id in deleted { stops[id] = nil }
    stops.merge(upserts) { $1 }
    return try copy.transaction {
      let importer = try BatchImporter(copy, schema)
      for id in deleted.sorted() { try importer.delete(key: [.text(id)], in: schema.tables[1]) }
      for id in upserts.keys.sorted() {
        try importer.upsert(Self.row(id, upserts[id] ?? ""), in: schema.tables[1])
      }
      var meta = try SeedTables.meta(copy)
      meta.digest = try importer.finish().digest
      meta.version = try Version(head + 1)
      try SeedTables.store(meta, copy)
      return meta.digest
    }
  }

  private func add(delta document: [UInt8], _ header: DeltaHeader) throws {
    let stored = try Compression.gzip(document)
    add(
      .delta(from: header.from, to: header.to), stored, raw: Compression.Measure(of: document), header.digest)
  }

  private func add(snapshot path: String, _ encoding: ContentEncoding) throws {
    try? FileManager.default.removeItem(atPath: path)
    copy.emptyCache()
    try copy.execute("VACUUM INTO ?", .text(path))
    let file = try Connection(path, .writer)
    try file.execute("PRAGMA journal_mode = DELETE; ANALYZE")
    if leavesIndexesOut {
      try LeftOutIndexes.leaveOut(of: file)
      try file.execute("VACUUM")
    }
    let (raw, _) = try Compression.compress(path, to: path + ".stored", encoding)
    let stored = Array(try Data(contentsOf: URL(fileURLWithPath: path + ".stored")))
    add(.snapshot(try Version(head), encoding), stored, raw: raw, try SeedTables.meta(copy).digest)
  }

  private func add(
    _ kind: PublishedObject.Kind, _ stored: [UInt8], raw: Compression.Measure, _ digest: SHA256Digest
  ) {
    let object = PublishedObject(
      series: Self.series, kind: kind, length: stored.count, sha256: .of(stored), model: Self.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: schema.hash, digest: digest)
    objects.removeAll { $0.kind == kind }
    objects.append(object)
    served.withLock { $0.files[object.filePath] = stored }
  }

  private func write(_ step: SigningStep) {
    published = step.published
    served.withLock { served in
      for file in step.files { served.files["metadata/\(file.name)"] = file.bytes }
    }
  }
}

extension ClientPublisherSimulator: Transport {
  /// Bytes handed on at a time, few enough that a snapshot takes several pieces.
  private static let pieceBytes = 1000

  package func send(_ request: TransportRequest, to receiver: ResponseReceiver) async throws {
    let name = request.url.path.split(separator: "/").joined(separator: "/")
    try await served.withLock { $0.hold }?(name)
    let found: [UInt8]? = try served.withLock { served in
      served.requests.append(name)
      guard !served.isOffline else { throw TransportError.unreachable(url: name, reason: "offline") }
      return served.files[name]
    }
    guard let found else { return try receiver.head(ResponseHead(status: 404)) }
    try Self.answer(request, by: found, to: receiver)
  }

  /// What a static host answers, parts included.
  package static func answer(
    _ request: TransportRequest, by content: [UInt8], to receiver: ResponseReceiver
  ) throws {
    let etag = "\"\(SHA256Digest.of(content).hex)\""
    let isSame = request.validator == nil || request.validator == etag
    var fields = ["ETag": etag]
    var part = 0..<content.count
    if let range = request.range, isSame {
      guard range.lowerBound < content.count else { return try receiver.head(ResponseHead(status: 416)) }
      part = range.clamped(to: part)
      fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.count)"
    }
    fields["Content-Length"] = "\(part.count)"
    try receiver.head(ResponseHead(status: fields["Content-Range"] == nil ? 200 : 206, fields: fields))
    for start in stride(from: part.lowerBound, to: part.upperBound, by: pieceBytes) {
      try receiver.body(Array(content[start..<min(start + pieceBytes, part.upperBound)]))
    }
  }
}
