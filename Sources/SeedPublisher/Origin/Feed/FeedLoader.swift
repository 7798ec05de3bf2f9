import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem
import SeedTrust

/// Makes a staging database of a feed's files. What did not change is not read again.
struct FeedLoader {
  let settings: FeedSettings
  let schema: FeedSchema
  /// Where the staging database is.
  let staging: String

  /// Makes it anew, with the tables of the old one that are still right. Where the files turn out not to be the ones that
  /// were listed, nothing is kept, and false is returned.
  func load(
    _ listing: FeedListing, after old: FeedRecord?, now: Int, folder: String = "",
    unless isOther: () throws -> Bool
  ) throws -> Bool {
    let files = try listing.entries.flatMap { try FeedFile.all($0, limit: settings.mostBytes) }
    guard !files.isEmpty else { throw FeedError.noFiles(path: listing.path) }
    let documents = try FeedDocuments.all(files, settings, schema, in: listing.path)
    let known = Dictionary(
      (old?.tables ?? []).map { ($0.name.lowercased(), $0) }
    ) { first, _ in first }
    var record = FeedRecord(
      listing: listing.text, form: form, loadedAt: now, isSettled: listing.isSettled(now: now), folder: folder
    )
    do {
      let staging = try FeedStaging(self.staging, copyingFrom: old != nil)
      do {
        let work = FeedWork(staging, self, listing.path, trustsStamps: old?.isSettled == true)
        record.tables = try documents.map { try work.table($0, known[$0.table.lowercased()]) }
        guard try !isOther() else {
          staging.discard()
          return false
        }
        try staging.finish(record)
      } catch {
        staging.discard()
        throw error
      }
    } catch let error as DatabaseError {
      throw FeedError.staging(path: self.staging, reason: error)
    }
    return true
  }

  /// What, beside the files, the staging database depends on.
  var form: String { schema.fingerprint }

  /// The record of the staging database that is used; `nil` where there is none, or none that could be used.
  var record: FeedRecord? {
    guard Folder.exists(staging), let connection = try? Connection(staging, .origin),
      case .text(let text)? = try? connection.value("SELECT record FROM \(FeedStaging.recordTable)")
    else { return nil }
    return try? FeedRecord(parsing: Array(text.utf8))
  }
}

/// Loading under way: one table after the other.
private final class FeedWork {
  private let staging: FeedStaging
  private let loader: FeedLoader
  /// The feed.
  private let path: String
  /// Whether a file that looks as it did was not written to since.
  private let trustsStamps: Bool
  /// Bytes of all documents so far, expanded.
  private var bytes = 0

  init(_ staging: FeedStaging, _ loader: FeedLoader, _ path: String, trustsStamps: Bool) {
    (self.staging, self.loader, self.path, self.trustsStamps) = (staging, loader, path, trustsStamps)
  }

  /// One table: copied where its files hold what they held, else read. Of a table that nobody wants only the columns
  /// are looked at.
  func table(_ documents: FeedDocuments, _ known: FeedRecord.Table?) throws -> FeedRecord.Table {
    let table = loader.schema.table(documents.table)
    let isWanted = loader.schema.wants(documents.table)
    let form = SHA256Digest.of(Array("\(table.text)\n\(documents.text)\n\(isWanted)".utf8)).hex
    if isWanted, let known, known.form == form, let files = try unchanged(documents.files, known.files) {
      try staging.copy(known.name)
      return FeedRecord.Table(
        name: known.name, form: form, rows: known.rows, untyped: known.untyped, files: files)
    }
    let writer = FeedTableWriter(table, staging.connection, otherType: documents.otherType)
    guard isWanted else {
      do {
        for file in documents.files { try readStart(file, documents, writer) }
        try writer.makeColumns()
      } catch is FeedError {
        // A licence, or notes: what nobody wants may be anything.
      }
      return FeedRecord.Table(name: table.name, form: form, rows: 0, untyped: [], files: [])
    }
    let files = try read(documents, table, writer)
    if files.isEmpty { writer.addTypedColumns() }
    if let flaw = writer.flawOfRows {
      throw FeedError.document("\(documents.files.map(\.place).joined(separator: ", ")): \(flaw)")
    }
    try writer.makeColumns()
    try staging.complete(table) { place(ofRow: $0, documents, table) }
    return FeedRecord.Table(
      name: table.name, form: form, rows: writer.rows, untyped: writer.untyped, files: files)
  }

  /// The files as they look now, where they hold what they held.
  private func unchanged(_ files: [FeedFile], _ known: [FeedRecord.File]) throws -> [FeedRecord.File]? {
    guard files.map(\.size) == known.map(\.size) else { return nil }
    var same: [FeedRecord.File] = []
    for (file, known) in zip(files, known) {
      let looksSame = trustsStamps && file.stamp == known.stamp && file.place == known.place
      guard try looksSame || file.digest() == known.digest else { return nil }
      same.append(
        FeedRecord.File(place: file.place, stamp: file.stamp, size: file.size, digest: known.digest))
    }
    return same
  }

  // MARK: Documents

  private func reading(_ file: FeedFile, _ documents: FeedDocuments) -> FeedReading {
    FeedReading(file, documents, loader.settings.mostBytes)
  }

  /// All of a table's files.
  private func read(
    _ documents: FeedDocuments, _ table: FeedSchema.Table, _ writer: FeedTableWriter
  ) throws -> [FeedRecord.File] {
    do {
      return try documents.files.map { try read($0, documents, writer) }
    } catch let found as NULInText {
      let place = place(ofRow: found.row, documents, table)
      throw FeedError.document(
        "\(place): column \"\(found.column)\": a text with a NUL character: \(NULInText.remedy)")
    }
  }

  private func read(
    _ file: FeedFile, _ documents: FeedDocuments, _ writer: FeedTableWriter
  ) throws -> FeedRecord.File {
    var hasher = SHA256Hasher()
    bytes += try reading(file, documents).feed(to: writer) { hasher.update($0) }.bytes
    guard bytes <= loader.settings.mostBytes else {
      throw FeedError.tooLong(path: path, limit: loader.settings.mostBytes)
    }
    return FeedRecord.File(place: file.place, stamp: file.stamp, size: file.size, digest: hasher.finish())
  }

  /// Reads as far as the columns can be told.
  private func readStart(_ file: FeedFile, _ documents: FeedDocuments, _ writer: FeedTableWriter) throws {
    do {
      try reading(file, documents).feed(to: RowCounter(writer), upTo: DocumentRows.rowsTaken)
    } catch is DocumentRows.Enough {}
  }

  /// Where a row of a table stands: found by reading its documents again.
  private func place(ofRow row: Int, _ documents: FeedDocuments, _ table: FeedSchema.Table) -> String {
    var rest = row
    for file in documents.files {
      let counter = RowCounter(
        FeedTableWriter(table, staging.connection, otherType: documents.otherType))
      do {
        rest -= try reading(file, documents).feed(to: counter, upTo: rest).rows
      } catch let enough as DocumentRows.Enough { return enough.place } catch { break }
    }
    return "row \(row)"
  }
}

/// Reads rows as a writer of their table does, and writes none.
private final class RowCounter: RowReceiver {
  private let writer: FeedTableWriter

  init(_ writer: FeedTableWriter) { self.writer = writer }

  var width: Int { writer.width }
  func column(_ name: String) -> ReceivedColumn? { writer.column(name) }
  func flaw(ofHeader names: [String]) -> String? { writer.flaw(ofHeader: names) }
  func take(_ rows: ReceivedRows) {}
}
