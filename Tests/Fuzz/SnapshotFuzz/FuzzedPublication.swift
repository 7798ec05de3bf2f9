import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support

/// A snapshot with omitted indexes and a delta to the next version.
struct FuzzedPublication {
  let snapshot, delta: PublishedObject
  let epoch: Epoch
  /// The snapshot's file and the delta's document.
  let file, document: [UInt8]

  private static let schemaSQL = """
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL UNIQUE);
    CREATE TABLE line(number TEXT PRIMARY KEY NOT NULL, stop INTEGER NOT NULL REFERENCES stop(id), colour TEXT)
      WITHOUT ROWID;
    CREATE INDEX line_stop ON line(stop);
    CREATE INDEX stop_name ON stop(lower(name)) WHERE id > 1;
    CREATE VIRTUAL TABLE stop_search USING fts5(name, content=stop, content_rowid=id);
    """

  init() {
    do {
      let publication = try TestPublication(
        "transit", "2.1", schemaSQL: Self.schemaSQL, Provenance(license: "CC0-1.0"),
        now: UTCTime(secondsSinceEpoch: 1_785_585_600))
      publication.leavesIndexesOut = true
      // The smallest, so that fewer bytes are unused.
      try publication.copy.execute("PRAGMA page_size = 512; VACUUM")
      for name in ["Old", "New"] { try publication.publish(Self.edits(publication.schema, name)) }
      (snapshot, delta, epoch) = (publication.objects[0], publication.objects[1], publication.epoch)
      let stored = publication.host.withServed { $0.files }
      file = try Compression.gunzip(stored[snapshot.filePath] ?? [], limit: snapshot.rawLength)
      document = try Compression.gunzip(stored[delta.filePath] ?? [], limit: delta.rawLength)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func edits(_ schema: DatabaseSchema, _ name: String) -> [TableEdit] {
    let numbers: ClosedRange<Int64> = 1...12
    return [
      TableEdit(
        schema.tables[1],
        upserts: numbers.map { [.integer($0), .text("\(name) \($0)"), .text("code-\($0)")] }),
      TableEdit(schema.tables[0], upserts: numbers.map { [.text("U\($0)"), .integer($0), .text(name)] }),
    ]
  }
}
