import SeedFormat
import SeedTrust

/// The sources of a staging database, stored in it.
struct FeedRecord {
  struct Table {
    let name: String
    /// Differs if the same bytes would become other rows.
    let form: String
    var rows = 0
    /// Text columns without a type from a model or the operator.
    var untyped: [String] = []
    var files: [String] = []
    var digests: [String] = []
  }

  var listing: String
  /// Fingerprint of the models and settings.
  var form: String
  /// Seconds since 1970.
  var loadedAt: Int
  /// Whether an equal listing at a later time proves that no file was written since.
  var isSettled: Bool
  /// The folder that the program filled; empty for a feed without a program.
  var folder = ""
  var tables: [Table] = []

  /// Equal for equal rows.
  var contents: String {
    let parts = tables.flatMap { [$0.name, $0.form] + $0.digests }
    return SHA256Digest.of(JSONValue(strings: [form] + parts).bytes).hex
  }
}

extension FeedRecord {
  var json: JSONValue {
    [
      "listing": .string(listing), "form": .string(form), "loadedAt": JSONValue(loadedAt),
      "settled": .bool(isSettled), "folder": .string(folder), "tables": .array(tables.map(\.json)),
    ]
  }

  init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var object = try JSONObjectReader(parsing: bytes)
    (listing, form) = (try object.string("listing"), try object.string("form"))
    loadedAt = try object.integer("loadedAt", from: .min)
    (isSettled, folder) = (try object.bool("settled"), try object.string("folder"))
    for table in try object.objectsIfPresent("tables") ?? [] { tables.append(try Table(table)) }
  }
}

extension FeedRecord.Table {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "form": .string(form), "rows": JSONValue(rows),
      "untyped": JSONValue(strings: untyped), "files": JSONValue(strings: files),
      "digests": JSONValue(strings: digests),
    ]
  }

  fileprivate init(_ object: JSONObjectReader) throws(MalformedJSON) {
    var object = object
    (name, form) = (try object.string("name"), try object.string("form"))
    (rows, untyped) = (try object.integer("rows", from: 0), try object.strings("untyped"))
    (files, digests) = (try object.strings("files"), try object.strings("digests"))
  }
}
