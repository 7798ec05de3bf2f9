import SeedDatabase
import SeedFormat
package import SeedPublication
import SeedSystem
package import SeedTrust

/// The size that a snapshot has, or would have, with one setting of `indexes` and `encodings`.
package struct SnapshotSize: Hashable, Sendable {
  package let snapshot: PublishedObject
  package let indexes: IndexPlace
  package let encoding: ContentEncoding
  package let bytes: Int

  /// Builds the snapshot once for each combination of settings, in files with the prefix `scratch`. Omits `client` if
  /// there is no index to leave out, or if devices cannot build one of the indexes.
  package static func all(
    of snapshot: PublishedObject, in publication: PublicationDirectory, by scratch: String
  ) throws -> [Self] {
    let copy = try WorkingCopy(expanding: snapshot, in: publication, to: "\(scratch).copy")
    return try IndexPlace.allCases.flatMap { indexes in
      if indexes == .client, try SecondaryIndexes(copy.connection).isEmpty { return [Self]() }
      let file = SnapshotFile(schema: copy.schema, indexes: indexes)
      try file.draw(copy, at: scratch)
      do { try file.complete(scratch) } catch is PlanError { return [] }
      return try ContentEncoding.allCases.map { encoding in
        let stored = try Compression.compress(scratch, to: "\(scratch).compressed", encoding).stored
        return Self(snapshot: snapshot, indexes: indexes, encoding: encoding, bytes: stored.length)
      }
    }
  }
}
