import SeedDatabase
package import SeedFormat
import SeedPublication
import SeedSystem
package import SeedTrust

/// The kind of a file of a publication or a store, by its first bytes.
package enum FileKind: Hashable, Sendable {
  case database, json
  case compressed(ContentEncoding)

  private static let signatures: [(start: [UInt8], kind: Self)] = [
    (Array("SQLite format 3\u{0}".utf8), .database), ([0x1F, 0x8B], .compressed(.gzip)),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .compressed(.xz)), (Array("{".utf8), .json),
  ]

  package init(_ path: String) throws {
    let start = try File(path, for: .reading).read(Self.signatures[0].start.count)
    guard let known = Self.signatures.first(where: { start.starts(with: $0.start) }) else {
      throw Refusal(
        .badData,
        "\(path.printable) is neither a SQLite file nor a delta, compressed or not, nor metadata: expected one of these."
      )
    }
    self = known.kind
  }

  package var encoding: ContentEncoding? {
    if case .compressed(let encoding) = self { encoding } else { nil }
  }

  /// The contents in order. Counts signatures without verifying them.
  package func members(_ path: String) throws -> [JSONMember] {
    if self == .database { return try seedMembers(path) }
    let bytes = try DurableFile.read(path, limit: Limits.deltaBytes)
    // A delta starts differently, and may be too large for a tree.
    let isSmall = bytes.count <= Limits.metadataBytes
    return try (isSmall ? metadataMembers(bytes) : nil) ?? deltaMembers(bytes)
  }
}

private func metadataMembers(_ document: [UInt8]) -> [JSONMember]? {
  guard let tree = try? JSONValue(parsing: document), let signed = tree["signed"],
    let signatures = tree["signatures"]?.elements
  else { return nil }
  let delegates = signed["delegations"]?["roles"]?.elements
  let files = signed["meta"]?.members
  let state = signed["targets"]?.members == nil ? nil : signed["seedbank"]
  return .init(
    ("kind", "metadata"), ("role", signed["_type"]), ("version", signed["version"]),
    ("expires", signed["expires"]), ("signatures", JSONValue(signatures.count)),
    ("delegates", delegates.map { .array($0.compactMap { $0["name"] }) }),
    ("lists", files.map { members($0, "version") }), ("series", state),
    ("objects", state == nil ? nil : members(signed["targets"]?.members ?? [], "length")))
}

private func members(_ files: [JSONMember], _ name: String) -> JSONValue {
  .object(files.map { JSONMember($0.name, $0.value[name] ?? .null) })
}

private func seedMembers(_ path: String) throws -> [JSONMember] {
  let connection = try Connection(path, .received)
  let meta = try SeedTables.meta(connection)
  let schema = try SchemaReader(connection).schema()
  let leftOut = try LeftOutIndexes.entries(of: connection).map { JSONMember($0.name, .string($0.sql)) }
  let sums = try SeedCheck(connection, schema).sums()
  return .init(
    ("kind", "seed"), ("series", .string("\(meta.series)")), ("model", .string("\(meta.model)")),
    ("epoch", .string("\(meta.epoch)")), ("version", JSONValue(meta.version.number)),
    ("schema", .string(meta.schema.hex)), ("digest", .string(meta.digest.hex)),
    ("rowsMatchDigest", .bool(StateDigest.of(sums) == meta.digest)),
    ("rows", JSONValue(sums) { JSONValue($0.rows) }),
    ("indexesLeftToClient", leftOut.isEmpty ? nil : .object(leftOut)),
    ("license", meta.provenance.license.map(JSONValue.string)),
    ("attribution", meta.provenance.attribution.map(JSONValue.string)),
    ("source", meta.provenance.source.map(JSONValue.string)))
}

private func deltaMembers(_ document: [UInt8]) throws -> [JSONMember] {
  var reader = try DeltaReader(document)
  let header = reader.header
  return .init(
    ("kind", "delta"), ("series", .string("\(header.series)")), ("model", .string("\(header.model)")),
    ("schema", .string(header.schema.hex)), ("from", JSONValue(header.from.number)),
    ("to", JSONValue(header.to.number)), ("digest", .string(header.digest.hex)),
    ("tables", .object(try changeCounts(&reader))))
}

private func changeCounts(_ reader: inout DeltaReader) throws -> [JSONMember] {
  var tables: [(name: String, counts: [Int])] = []
  while true {
    switch try reader.next() {
    case .table(let table): tables.append((table.name, [0, 0, 0]))
    case .delete: tables[tables.count - 1].counts[0] += 1
    case .insert: tables[tables.count - 1].counts[1] += 1
    case .update: tables[tables.count - 1].counts[2] += 1
    case .end:
      return tables.map { name, counts in
        let named = zip(["delete", "insert", "update"], counts).map { JSONMember($0, JSONValue($1)) }
        return JSONMember(name, .object(named))
      }
    }
  }
}
