import SeedFormat
import SeedTrust

/// What a staging database was made of, kept in it.
struct FeedRecord {
  /// One table, and the documents that it was made of.
  struct Table {
    let name: String
    /// Differs where the same bytes would become other rows.
    let form: String
    let rows: Int
    /// Columns of texts of which nobody said that they are.
    let untyped: [String]
    let files: [File]
  }

  struct File {
    let place: String
    let stamp: String
    let size: Int
    let digest: SHA256Digest
  }

  /// The files from outside.
  var listing: String
  /// What the models and the operator said.
  var form: String
  /// Since 1970.
  var loadedAt: Int
  /// Whether the same listing later on proves that nothing was written since.
  var isSettled: Bool
  /// The folder that a program filled; empty where somebody else fills it.
  var folder = ""
  var tables: [Table] = []

  /// Equal for equal rows.
  var contents: String {
    let parts = tables.flatMap { [$0.name, $0.form] + $0.files.map(\.digest.hex) }
    return SHA256Digest.of(JSONValue.array(([form] + parts).map { .string($0) }).bytes).hex
  }
}

// MARK: JSON

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
    isSettled = try object.bool("settled")
    folder = try object.string("folder")
    tables =
      try object.objectsIfPresent("tables")?.map { table throws(MalformedJSON) in
        try Table(table)
      } ?? []
  }
}

extension FeedRecord.Table {
  fileprivate var json: JSONValue {
    let files = files.map { file -> JSONValue in
      [
        "place": .string(file.place), "stamp": .string(file.stamp), "size": JSONValue(file.size),
        "digest": .string(file.digest.hex),
      ]
    }
    return [
      "name": .string(name), "form": .string(form), "rows": JSONValue(rows),
      "untyped": JSONValue(strings: untyped), "files": .array(files),
    ]
  }

  fileprivate init(_ json: consuming JSONObjectReader) throws(MalformedJSON) {
    var object = json
    (name, form) = (try object.string("name"), try object.string("form"))
    rows = try object.integer("rows", from: 0)
    untyped = try object.strings("untyped")
    files =
      try object.objectsIfPresent("files")?.map { file throws(MalformedJSON) in
        var file = file
        return FeedRecord.File(
          place: try file.string("place"), stamp: try file.string("stamp"),
          size: try file.integer("size", from: 0), digest: try file.digest("digest"))
      } ?? []
  }
}
