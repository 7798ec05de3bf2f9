import Foundation
package import SeedDatabase
package import SeedFormat
import SeedSigning
package import SeedSystem
package import SeedTrust

/// A publication of one series in memory, with real signatures, snapshots and deltas. Not Sendable; its ``host`` is.
package final class TestPublication {
  package let series: SeedSeries
  package private(set) var model: ModelVersion
  package private(set) var schema: DatabaseSchema
  /// The first root metadata, the clients' trust anchor.
  package let root: [UInt8]
  package let host = MemoryHost()
  package var now: UTCTime
  package var pollSeconds = 60
  package var lifecycle = SeedLifecycle.active
  package var leavesIndexesOut = false
  package var isModelDropped = false
  /// The head's number; 0 before the first publication.
  package var head = 0
  package private(set) var epoch = Epoch.random()
  package var objects: [PublishedObject] = []
  package var published: PublishedMetadata
  package var copy: Connection
  private var models: [ModelVersion: SHA256Digest] = [:]
  package var provenance: Provenance
  private let folder: TemporaryFolder
  private let keys = KeyRing(Dictionary(uniqueKeysWithValues: KeyRole.allCases.map { ($0, [.generate()]) }))

  package init(
    _ dataset: DatasetName, _ model: ModelVersion, schemaSQL: String, _ provenance: Provenance, now: UTCTime
  ) throws {
    (series, self.model, self.now) = (SeedSeries(dataset, model: model), model, now)
    self.provenance = provenance
    schema = try SchemaReader.schema(of: schemaSQL)
    models = [model: schema.hash]
    folder = try TemporaryFolder(inMemory: true)
    let step = try RepositorySigner(now: now).create(delegating: [series], keys: keys)
    (published, root) = (step.published, step.files[0].bytes)
    copy = try Connection(folder("copy.sqlite"), .creator)
    try copy.run(script: schemaSQL)
    let meta = SeedMeta(
      series: series, model: model, epoch: epoch, version: .first, schema: schema.hash,
      digest: StateDigest.of([:]), provenance: provenance)
    try SeedTables.create(meta, schema.tables, copy)
    write(step)
  }

  // MARK: Publishing

  /// Publishes a new version: first a snapshot, later deltas.
  package func publish(_ edits: [TableEdit]) throws {
    let changes = try changes(edits)
    let digest = try importRows(edits)
    guard head > 0 else {
      head = 1
      return try publishSnapshot()
    }
    try publishDelta(changes, digest)
  }

  /// Publishes a new minor: a delta that only adds to the schema.
  package func begin(_ minor: ModelVersion, adding statements: [String]) throws {
    let additions = SchemaAdditions(before: schema.hash, statements: statements)
    model = minor
    let digest = try copy.transaction { try extend(by: additions) }
    models[minor] = schema.hash
    try publishDelta(DeltaWriter(), digest, additions)
  }

  private func publishDelta(
    _ changes: DeltaWriter, _ digest: SHA256Digest, _ additions: SchemaAdditions? = nil
  ) throws {
    let from = try SeedVersion(head)
    head += 1
    let document = changes.document(
      DeltaHeader(
        series: series, model: model, schema: schema.hash, from: from, to: from.next, digest: digest,
        additions: additions))
    add(
      .delta(from: from, to: from.next), try Compression.gzip(document), raw: document.count, digest,
      after: additions?.before)
    try sign()
  }

  package func publishSnapshot(_ encoding: ContentEncoding = .gzip) throws {
    let path = folder("snapshot-\(head)-\(epoch.text).sqlite")
    try? FileManager.default.removeItem(atPath: path)
    copy.emptyCache()
    try copy.vacuum(into: path)
    let file = try Connection(path, .creator)
    try file.execute("PRAGMA journal_mode = DELETE; ANALYZE")
    if leavesIndexesOut {
      try OmittedIndexes.omit(from: file)
      try file.execute("VACUUM")
    }
    let (raw, _) = try Compression.compress(path, to: path + ".stored", encoding)
    let stored = Array(try Data(contentsOf: URL(fileURLWithPath: path + ".stored")))
    add(
      .snapshot(try SeedVersion(head), encoding), stored, raw: raw.length, sha256: raw.sha256,
      try SeedTables.meta(copy).digest)
    try sign()
  }

  /// Starts a new epoch with the current rows, as a snapshot at version 1.
  package func startEpoch() throws {
    (epoch, head, objects) = (.random(), 1, [])
    var meta = try SeedTables.meta(copy)
    (meta.epoch, meta.version) = (epoch, .first)
    try SeedTables.store(meta, copy)
    try publishSnapshot()
  }

  package func sign() throws { write(try step(metadata())) }

  /// Returns the metadata files for `metadata`, without publishing them.
  package func signed(_ metadata: SeriesMetadata) throws -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: try step(metadata).files.map { ("metadata/\($0.name)", $0.bytes) })
  }

  package func metadata() throws -> SeriesMetadata {
    let newest = isModelDropped ? try ModelVersion(major: model.major, minor: model.minor + 1) : model
    let state = SeriesState(
      epoch: epoch, head: try SeedVersion(max(head, 1)), floor: .first, model: newest,
      models: isModelDropped ? [newest: schema.hash] : models, lifecycle: lifecycle, publishedAt: now,
      pollSeconds: pollSeconds,
      license: provenance.license, attribution: provenance.attribution, source: provenance.source)
    return SeriesMetadata(series: series, state: state, objects: objects)
  }

  private func step(_ metadata: SeriesMetadata) throws -> SigningStep {
    try RepositorySigner(now: now).publish([metadata], after: published, keys: keys)
  }

  private func write(_ step: SigningStep) {
    published = step.published
    host.withServed { served in
      for file in step.files { served.files["metadata/\(file.name)"] = file.bytes }
    }
  }

  package func newCopyPath() -> String { folder("\(UUID().uuidString).sqlite") }
}

// MARK: - Rows and objects

extension TestPublication {
  /// Adds to the schema of `copy`, and sets its version, model and digest.
  private func extend(by additions: SchemaAdditions) throws -> SHA256Digest {
    try additions.define(on: copy)
    schema = try SchemaReader(copy).schema()
    let sums = try SeedCheck(copy, schema).sums()
    for (table, sum) in sums { try SeedTables.store(sum, of: table, copy) }
    var meta = try SeedTables.meta(copy)
    (meta.model, meta.schema, meta.digest) = (model, schema.hash, StateDigest.of(sums))
    meta.version = try SeedVersion(head + 1)
    try SeedTables.store(meta, copy)
    try copy.execute("PRAGMA user_version = \(model.userVersion)")
    return meta.digest
  }

  private func importRows(_ edits: [TableEdit]) throws -> SHA256Digest {
    try copy.transaction {
      let writer = try SeedWriter(copy, schema)
      for edit in edits {
        let rows = try writer.rows(of: edit.table)
        for key in edit.deletes { try LentBytes.lending(key) { try rows.delete(lentKey: $0) } }
        for row in edit.upserts { try LentBytes.lending(row) { try rows.write(lent: $0) } }
      }
      var meta = try SeedTables.meta(copy)
      meta.digest = try writer.finish().digest
      meta.version = try SeedVersion(head + 1)
      try SeedTables.store(meta, copy)
      return meta.digest
    }
  }

  private func changes(_ edits: [TableEdit]) throws -> DeltaWriter {
    var changes = DeltaWriter()
    for edit in edits {
      changes.begin(table: edit.table.name, key: edit.table.keyNames, columns: edit.table.columnNames)
      for key in edit.deletes { changes.delete(key) }
      for row in edit.upserts { add(row, over: try stored(row, in: edit.table), edit.table, &changes) }
    }
    return changes
  }

  private func stored(_ row: [SeedValue], in table: TableSchema) throws -> [SeedValue]? {
    let find = try copy.cached(TableSQL(table).find)
    defer { find.reset() }
    try find.bind(table.keyValues(of: row))
    return try find.step() ? try find.row() : nil
  }

  private func add(
    _ row: [SeedValue], over old: [SeedValue]?, _ table: TableSchema, _ changes: inout DeltaWriter
  ) {
    let changed = old.map { old in row.indices.filter { row[$0] != old[$0] } } ?? table.key
    guard !changed.isEmpty else { return }
    if changed.contains(where: table.key.contains) { return changes.insert(row) }
    changes.update(table.keyValues(of: row), changed.map { row[$0] }, at: changed)
  }

  private func add(
    _ kind: PublishedObject.Kind, _ stored: [UInt8], raw: Int, sha256 rawSHA256: SHA256Digest? = nil,
    _ digest: SHA256Digest, after schemaBefore: SHA256Digest? = nil
  ) {
    let object = PublishedObject(
      series: series, kind: kind, length: stored.count, sha256: .of(stored), model: model,
      rawLength: raw, rawSHA256: rawSHA256, schema: schema.hash, schemaBefore: schemaBefore, digest: digest,
      publishedAt: rawSHA256.map { _ in now })
    objects.removeAll { $0.kind == kind }
    objects.append(object)
    host.withServed { $0.files[object.filePath] = stored }
  }
}

package struct TableEdit: Sendable {
  package let table: TableSchema
  /// Whole new rows, in the table's column order.
  package let upserts: [[SeedValue]]
  package let deletes: [[SeedValue]]

  /// `table` must belong to the publication's schema.
  package init(_ table: TableSchema, upserts: [[SeedValue]] = [], deletes: [[SeedValue]] = []) {
    (self.table, self.upserts, self.deletes) = (table, upserts, deletes)
  }
}

/// A mistake in a test: data that a ``TestPublisher`` cannot publish, or an invalid schema.
public struct TestPublisherError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistake, with table, column and row, and the remedy.
  public let description: String

  package init(_ description: String) { self.description = description }
}
