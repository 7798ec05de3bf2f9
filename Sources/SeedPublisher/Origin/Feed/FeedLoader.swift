import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem
import SeedTrust

import struct Foundation.Data
import class Foundation.JSONDecoder

struct FeedLoader {
  let settings: FeedSettings
  let schema: FeedSchema
  let staging: String

  private var form: String {
    let said = settings.tables.map { "\($0.table) \($0.json.text)" }
    let texts = [schema.fingerprint, settings.emptyFields.rawValue] + said
    return SHA256Digest.of(JSONValue(strings: texts).bytes).hex
  }

  private var source: String { settings.source?.text ?? "" }

  func isFromSource(_ record: FeedRecord) -> Bool { record.source == source }

  /// Whether these settings and models would load the same files into the same rows.
  func isOfForm(_ record: FeedRecord) -> Bool { record.form == form }

  /// Builds a new staging database and copies tables with unchanged files from the old one. Returns false and keeps
  /// nothing if the files no longer match the listing.
  func load(
    _ listing: FeedListing, after old: FeedRecord?, now: Int, folder: String = "",
    unless isOther: () throws -> Bool
  ) throws -> Bool {
    let documents = try FeedDocuments.all(listing.files(), settings, schema, in: listing.path)
    var record = FeedRecord(
      listing: listing.text, form: form, source: source, loadedAt: now,
      isSettled: listing.isSettled(now: now), folder: folder)
    do {
      let staging = try FeedStaging(self.staging, copyingFrom: old != nil)
      defer { staging.discard() }
      var bytes = 0
      for documents in documents {
        let known = old?.tables.first { $0.name.lowercased() == documents.table.lowercased() }
        record.tables.append(try load(documents, known, into: staging, &bytes))
        guard bytes <= settings.mostBytes else {
          throw OriginError.tooLong(path: listing.path, limit: settings.mostBytes)
        }
      }
      guard try !isOther() else { return false }
      try staging.finish(record)
      return true
    } catch let error as DatabaseError {
      throw OriginError.unavailable(
        "the feed's rows cannot be stored in \(staging): \(error.message); free space on that disk; the next step will load them again"
      )
    }
  }

  private func load(
    _ documents: FeedDocuments, _ known: FeedRecord.Table?, into staging: FeedStaging, _ bytes: inout Int
  ) throws -> FeedRecord.Table {
    let table = schema.table(documents.table)
    let isWanted = schema.wants(documents.table)
    let form = SHA256Digest.of(Array("\(table.text)\n\(documents.text)\n\(isWanted)".utf8)).hex
    let places = documents.files.map(\.place)
    if isWanted, !places.isEmpty, let known, known.form == form,
      try known.digests == documents.files.map({ try $0.digest() })
    {
      try staging.copy(known.name)
      bytes += known.bytes
      return known
    }
    let writer = FeedTableWriter(table, staging.connection, otherType: documents.otherType)
    guard isWanted else {
      try documents.readColumns(into: writer)
      return FeedRecord.Table(name: table.name, form: form)
    }
    let read = try documents.read(into: writer)
    bytes += read.bytes
    if places.isEmpty { writer.addTypedColumns() }
    if let flaw = writer.flawOfRows {
      throw OriginError.data("\(places.joined(separator: ", ")): \(flaw)")
    }
    try writer.makeColumns()
    try staging.complete(table, documents.place)
    return FeedRecord.Table(
      name: table.name, form: form, untyped: writer.untyped, digests: read.digests, bytes: read.bytes)
  }

  /// The record if its rows are those of the configured source and form.
  var usableRecord: FeedRecord? { record.flatMap { isFromSource($0) && isOfForm($0) ? $0 : nil } }

  /// The record of the current staging database; `nil` if that is missing or unreadable.
  var record: FeedRecord? {
    guard Folder.exists(staging), let connection = try? Connection(staging, .origin),
      case .text(let text)? = try? connection.value("SELECT record FROM \(FeedStaging.recordTable)")
    else { return nil }
    return try? JSONDecoder().decode(FeedRecord.self, from: Data(text.utf8))
  }
}
