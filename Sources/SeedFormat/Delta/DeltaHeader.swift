/// The members of a delta before its changes.
package struct DeltaHeader: Hashable, Sendable {
  package let series: SeedSeries
  /// The newest model of the series when the delta was made.
  package let model: ModelVersion
  package let schema: SHA256Digest
  /// The delta applies to any version in `from ... to` and leads to `to`.
  package let from: SeedVersion
  package let to: SeedVersion
  package let digest: SHA256Digest

  package init(
    series: SeedSeries, model: ModelVersion, schema: SHA256Digest, from: SeedVersion, to: SeedVersion,
    digest: SHA256Digest
  ) {
    (self.series, self.model, self.schema) = (series, model, schema)
    (self.from, self.to, self.digest) = (from, to, digest)
  }

  var opening: [UInt8] {
    let members: JSONValue = [
      "dataset": .string(series.dataset.text),
      "series": .integer(Int64(series.major)),
      "model": .string(model.description),
      "schema": .string(schema.hex),
      "from": .integer(Int64(from.number)),
      "to": .integer(Int64(to.number)),
      "digest": .string(digest.hex),
    ]
    return members.bytes.dropLast() + Array(#","changes":["#.utf8)
  }
}
