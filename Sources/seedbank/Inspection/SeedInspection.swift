import SeedDatabase
import SeedFormat

/// What a seed says of itself, and whether its rows agree.
enum SeedInspection {
  static func findings(_ path: String) throws -> [JSONMember] {
    let connection = try Connection(path, .reader)
    let meta = try SeedTables.meta(connection)
    let schema = try SchemaReader(connection).schema()
    let leftOut = try LeftOutIndexes.entries(of: connection).map { JSONMember($0.name, .string($0.sql)) }
    let sums = try SeedCheck(connection, schema).sums()
    let isWhole = StateDigest.of(sums) == meta.digest
    let rows = sums.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer(Int64($0.value.rows))) }
    let provenance = [
      ("license", meta.provenance.license), ("attribution", meta.provenance.attribution),
      ("source", meta.provenance.source),
    ]
    return [
      JSONMember("kind", "seed"), JSONMember("series", .string("\(meta.series)")),
      JSONMember("model", .string("\(meta.model)")), JSONMember("epoch", .string("\(meta.epoch)")),
      JSONMember("version", .integer(Int64(meta.version.number))),
      JSONMember("schema", .string(meta.schema.hex)),
      JSONMember("digest", .string(meta.digest.hex)), JSONMember("rowsMatchDigest", .bool(isWhole)),
      JSONMember("rows", .object(rows)),
    ] + (leftOut.isEmpty ? [] : [JSONMember("indexesLeftToClient", .object(leftOut))])
      + provenance.compactMap { name, text in text.map { JSONMember(name, .string($0)) } }
  }
}

/// What a delta says of itself, and what is in it.
enum DeltaInspection {
  static func findings(_ document: [UInt8]) throws -> [JSONMember] {
    var reader = try DeltaReader(document)
    let header = reader.header
    return [
      JSONMember("kind", "delta"), JSONMember("series", .string("\(header.series)")),
      JSONMember("model", .string("\(header.model)")), JSONMember("schema", .string(header.schema.hex)),
      JSONMember("from", .integer(Int64(header.from.number))),
      JSONMember("to", .integer(Int64(header.to.number))),
      JSONMember("digest", .string(header.digest.hex)), JSONMember("tables", .object(try counts(&reader))),
    ]
  }

  private static func counts(_ reader: inout DeltaReader) throws -> [JSONMember] {
    var counts: [(name: String, deletes: Int64, upserts: Int64)] = []
    while true {
      switch try reader.next() {
      case .table(let name, _): counts.append((name, 0, 0))
      case .delete: counts[counts.count - 1].deletes += 1
      case .upsert: counts[counts.count - 1].upserts += 1
      case .end:
        return counts.map {
          JSONMember($0.name, ["delete": .integer($0.deletes), "upsert": .integer($0.upserts)])
        }
      }
    }
  }
}
