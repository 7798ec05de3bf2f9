import SeedDatabase
import SeedFormat
package import SeedImport
import SeedSystem
package import Testing

/// A temporary database, and imports into it.
package final class ImportBench {
  private let folder: TemporaryFolder
  package let path: String

  package init(_ schema: String) throws {
    folder = try TemporaryFolder(inMemory: true)
    path = folder("app.sqlite")
    try Connection(path, .creator).execute(schema)
  }

  /// A path next to the database.
  package func file(_ name: String) -> String { folder(name) }

  /// Imports documents in pieces of `pieces` bytes.
  @discardableResult
  package func run(
    _ documents: String..., mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    hooks: ImportHooks = ImportHooks(), pieces: Int = .max
  ) throws -> ImportReport {
    try run(
      documents: documents.map { Array($0.utf8) }, mapping: mapping, policy: policy, hooks: hooks,
      pieces: pieces)
  }

  /// The failure of an import, which must not succeed.
  package func failure(
    _ documents: String..., mapping: ImportMapping, policy: ImportPolicy = ImportPolicy(),
    at location: SourceLocation = #_sourceLocation
  ) -> ImportFailure? {
    #expect(throws: ImportFailure.self, sourceLocation: location) {
      try run(documents: documents.map { Array($0.utf8) }, mapping: mapping, policy: policy)
    }
  }

  @discardableResult
  package func run(
    documents: [[UInt8]], named names: [String] = [], mapping: ImportMapping,
    policy: ImportPolicy = ImportPolicy(),
    hooks: ImportHooks = ImportHooks(), pieces: Int = .max
  ) throws -> ImportReport {
    let session = try ImportSession(
      try Connection(path, .own), mapping: mapping, policy: policy, hooks: hooks)
    do {
      for (number, document) in documents.enumerated() {
        try session.begin(names.isEmpty ? "document \(number)" : names[number])
        var rest = document[...]
        while !rest.isEmpty {
          try rest.prefix(pieces).withUnsafeBytes { try session.feed($0) }
          rest = rest.dropFirst(pieces)
        }
        try session.end()
      }
      return try session.finish()
    } catch {
      session.abandon()
      throw error
    }
  }

  package func execute(_ sql: String) throws { try Connection(path, .own).execute(sql) }

  /// A query's rows, each as one text.
  package func rows(_ sql: String) throws -> [String] {
    try Connection(path, .own).rows(sql).map { $0.map(\.description).joined(separator: "|") }
  }

  package func bytes() throws -> [UInt8] { try DurableFile.read(path, limit: 1 << 30) }
}

/// The ways in which an import writes rows; the results are the same.
package enum ImportWay: CaseIterable, Sendable {
  case batches, batchesInUTF16
  /// Rows that are too long for a batch are written one by one.
  case singleRows

  /// A schema whose table `list` gets a document's list of rows.
  package func schema(_ schema: String, list: String) -> String {
    switch self {
    case .batches: schema
    case .batchesInUTF16: "PRAGMA encoding = 'UTF-16le'; \(schema)"
    case .singleRows: "\(schema); ALTER TABLE \(list) ADD COLUMN \(Self.ballast) BLOB;"
    }
  }

  /// The mapping for that schema.
  package func mapping(_ mapping: ImportMapping) -> ImportMapping {
    guard self == .singleRows else { return mapping }
    var mapping = mapping
    mapping.lists[0].table.constants[Self.ballast] = .blob(
      Array(repeating: 0, count: RowBatch.mostRowBytes + 1))
    return mapping
  }

  private static let ballast = "ballast"
}
